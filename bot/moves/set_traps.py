"""Traps that the bot set in one game: the one record that its replies, its chat, its archive and its studies read."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Self

import chess

from coach.repertoire.live_traps import LiveTrap
from db.traps.terms import Outcome, Side
from db.traps.trap import Trap
from db.wording.causes import place_name
from db.wording.names import safe_name
from trapcore import _native
from trapcore.proof.causes import Mistake, explain
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, slots=True)
class Answer:
    """Reply to a bait that was taken."""

    bait: str
    line: tuple[str, ...]
    """Killer line in UCI, our moves and theirs in turn."""
    is_mate: bool
    """Whether the whole line was proved; otherwise only its first move is played without a search."""


@dataclass(frozen=True, slots=True)
class SetBait:
    """A bait of a trap that was set, with its proof."""

    fen: str
    """The position before it."""
    bait: str
    line: tuple[str, ...]
    """Killer line, UCI."""
    mate_in: int | None
    gain: float
    """Win chance that the bait gives away, 0..2."""

    @property
    def answer(self) -> Answer:
        """The reply to it."""
        return Answer(self.bait, self.line, self.mate_in is not None)


@lru_cache(maxsize=256)
def trap_of(bait: SetBait) -> Trap:
    """A bait as a trap like those of a library, named by where it strikes: ``knight fork on c7 trap``.

    It is asked for after each move of a game, and the name needs a search.
    """
    board = parse_position(bait.fen)
    place = explain([Mistake(bait.fen, bait.bait, bait.line, mate_in=bait.mate_in)])[0].place
    victim: Side = "white" if board.turn == chess.WHITE else "black"
    where = safe_name(place_name(place, colour=victim, short=True)) if place else ""
    for uci in (bait.bait, *bait.line):
        board.push_uci(uci)
    return Trap(
        slug=f"set-{_native.position_key(bait.fen).hex()[:16]}-{bait.bait}",
        name=f"{where} trap".strip(),
        family="set",
        epd=_native.epd(bait.fen),
        bait=bait.bait,
        killer_line=bait.line,
        outcome=Outcome.MATE if board.is_checkmate() else Outcome.MATERIAL,
        verdict=Verdict.PROVED,
        mate_in=bait.mate_in,
        gain=bait.gain,
        proof_by=_native.TESTER_VERSION,
    )


@dataclass
class SetTraps:
    """The baits of the traps that were set in one game, by the key of the position before each."""

    baits: dict[bytes, list[SetBait]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, entries: Iterable[Mapping[str, Any]]) -> Self:
        """The traps from the JSON entries that `to_json` made."""
        found = cls()
        for entry in entries:
            found._add(SetBait(**{**entry, "line": tuple(entry["line"])}))
        return found

    def add(self, trap: LiveTrap) -> None:
        """Add the baits of a trap that is about to be set."""
        for bait in trap.baits:
            self._add(SetBait(trap.fen, bait.uci, bait.killer_line, bait.mate_in, bait.gain))

    def answers(self, key: bytes) -> list[Answer]:
        """Replies to the baits in the position with this key."""
        return [bait.answer for bait in self.baits.get(key, ())]

    def was_taken(self, board: chess.Board) -> bool:
        """Whether the last move of the board took the bait of one of these traps."""
        if not board.move_stack or not self.baits:
            return False
        before = board.copy(stack=1)
        bait = before.uci(before.pop())
        return any(each.bait == bait for each in self.baits.get(_native.position_key(before.fen()), ()))

    def traps(self) -> list[Trap]:
        """The baits as traps, in the order in which they were set."""
        return [trap_of(bait) for baits in self.baits.values() for bait in baits]

    def to_json(self) -> list[dict[str, Any]]:
        """JSON entries of all baits."""
        return [asdict(bait) for baits in self.baits.values() for bait in baits]

    def _add(self, bait: SetBait) -> None:
        known = self.baits.setdefault(_native.position_key(bait.fen), [])
        if all(each.bait != bait.bait for each in known):
            known.append(bait)
