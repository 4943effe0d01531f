"""Clocks of a game: what each player had left after each move, from the comments ``[%clk 0:09:57]``."""

import re
import struct
from dataclasses import dataclass

from trapcore import _native

_CLOCK = re.compile(rb"\[%clk\s+(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)")
_CONTROL = re.compile(r"(\d{1,6})(?:\+(\d{1,3}))?")
_UNKNOWN = 0xFFFF


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a game in seconds."""

    increment: int | None
    """Added after each move; None if the game does not say."""
    left: tuple[int, ...]
    """After each move, the first move of the game first."""

    @classmethod
    def of(cls, stored: bytes | None) -> "Clocks | None":
        """As `GameRow.clocks` has them; None if there are none, or if the row holds something else."""
        if not stored or len(stored) % 2:
            return None
        increment, *left = struct.unpack(f"<{len(stored) // 2}H", stored)
        return cls(None if increment == _UNKNOWN else increment, tuple(left))

    def after(self, ply: int) -> int | None:
        """Left after the move at this ply, from 1."""
        return self.left[ply - 1] if 1 <= ply <= len(self.left) else None

    def spent(self, ply: int) -> int | None:
        """That the move at this ply took; None for the first move of a player, and without a known increment."""
        if self.increment is None or not 3 <= ply <= len(self.left):
            return None
        return max(0, self.left[ply - 3] + self.increment - self.left[ply - 1])


def clocks_of_games(batch: _native.Batch, records: list[_native.GameRecord]) -> dict[int, bytes]:
    """What `GameRow.clocks` stores, by the number of each game that has a clock at every move of its main line.

    A game with more or fewer clocks than moves has none: it does not say which clock belongs to which move.
    """
    data = batch.data()
    if b"[%clk" not in data:
        return {}
    starts = [record.offset - batch.offset for record in records]
    found = {}
    for record, start, end in zip(records, starts, [*starts, len(data)][1:], strict=True):
        times = _CLOCK.findall(data, start, end)
        if times and len(times) == record.plies:
            control = _CONTROL.fullmatch(record.tags.get("TimeControl", ""))
            increment = _UNKNOWN if control is None else int(control[2] or 0)
            left = [min(_UNKNOWN - 1, 3600 * int(h) + 60 * int(m) + int(s)) for h, m, s in times]
            found[record.game] = struct.pack(f"<{len(left) + 1}H", increment, *left)
    return found
