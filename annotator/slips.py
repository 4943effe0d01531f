"""Moves that cost something and are not proved to lose: inaccuracies, mistakes, and blunders without a proof."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from annotator.selection import Selection, is_book
from db.traps.position_value import PositionValue, Values
from db.wording.evidence import Evidence
from trapcore import _native
from trapcore.win_chance import INACCURACY

SEEMS = 0.05
"""An engine is asked about a move that seems to cost this much, win chance, at its first look."""

_BEST_PLIES = 5
"""Plies of the better line that are kept, as the core keeps them for its findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A move that costs `INACCURACY` or more by two searches of it. Win chances are of who makes it, -1..1."""

    value: _native.MoveValue
    """The move, and where text can be added to it."""
    before: float
    """With the best move."""
    after: float
    """With this one."""
    best_line: tuple[str, ...]
    """SAN: the best move and what follows."""
    line: tuple[str, ...]
    """UCI: the best answer and what follows."""
    best: str
    """The best move, UCI."""

    @property
    def loss(self) -> float:
        """Win chance that the move costs, 0..2."""
        return self.before - self.after

    @property
    def evidence(self) -> Evidence:
        """What a sentence about it may rest on."""
        value = self.value
        return Evidence(
            fen=value.origin,
            half_move=value.half_move,
            bait=value.played,
            killer_line=self.line,
            before=self.before,
            after=self.after,
            best=self.best,
            best_line=self.best_line,
        )


def slips_of(
    game: _native.GameFindings,
    known: Values,
    selection: Selection,
    without: Collection[int],
    least: float = INACCURACY,
) -> Iterator[Slip]:
    """The moves of a game that cost ``least``, by the values ``known`` of its positions; none of the plies ``without``.

    A first look at the game alone says nothing: both positions must have been searched again.
    """
    for value in game.values:
        before, after = known.get(value.origin), known.get(value.fen)
        if value.ply in without or before is None or after is None:
            continue
        mover = "black" if value.half_move % 2 else "white"
        if selection.includes(mover, game.tags) and _is_slip(value, before, after, least):
            yield Slip(
                value=value,
                before=before.chance,
                after=-after.chance,
                best_line=tuple(_native.sans(value.origin, before.line[:_BEST_PLIES])),
                line=after.line,
                best=before.line[0],
            )


def _is_slip(value: _native.MoveValue, before: PositionValue, after: PositionValue, least: float) -> bool:
    if before.chance + after.chance < least or min(before.effort, after.effort) <= _native.PASS_NODES:
        return False
    is_best_known = bool(before.line) and before.line[0] != value.played
    return is_best_known and bool(after.line) and not is_book(value.fen)
