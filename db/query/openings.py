"""The named openings that lead to traps, counted in one pass over the lines of the traps."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from sqlalchemy import select

from db.library.library import Library
from db.query.ahead import keys_of_lines
from db.storage.tables import TrapRow
from db.traps.openings import named_positions
from trapcore import _native
from trapcore.proof.verdict import Verdict

NEAR = 12
"""Moves of either side within which a trap counts."""


@dataclass(frozen=True, slots=True)
class OpeningTraps:
    """An opening, and how many traps of the library are at most `NEAR` moves of either side away."""

    name: str
    against: Mapping[str, int]
    """By the side that falls into them."""

    @property
    def traps(self) -> int:
        """For both sides."""
        return sum(self.against.values())


def openings_with_traps(library: Library) -> list[OpeningTraps]:
    """The openings whose positions are in the line of a proved trap, at most `NEAR` plies before it, by name."""
    rows = select(TrapRow.victim, TrapRow.moves).where(
        TrapRow.moves.is_not(None), TrapRow.verdict == str(Verdict.PROVED)
    )
    with library.database.read() as connection:
        lines = [(victim, moves) for victim, moves in connection.execute(rows.order_by(TrapRow.id)) if moves]
    counts: dict[str, Counter[str]] = {}
    names = _names_by_key()
    for (victim, _), keys in zip(lines, keys_of_lines([moves for _, moves in lines]), strict=True):
        for name in _named(keys[-NEAR - 1 :], names):
            counts.setdefault(name, Counter())[victim] += 1
    return [OpeningTraps(name, counts[name]) for name in sorted(counts)]


def _named(keys: Collection[bytes], names: Mapping[bytes, str]) -> set[str]:
    return {names[key] for key in keys if key in names}


@cache
def _names_by_key() -> dict[bytes, str]:
    return {_native.position_key(epd): each.name for epd, each in named_positions().items()}
