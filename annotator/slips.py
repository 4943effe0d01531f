"""Moves that cost something and are not proved to lose: inaccuracies, mistakes, and blunders without a proof."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from annotator.events import BEST_PLIES
from annotator.mates import allowed_mate
from annotator.selection import Selection, is_book
from db.traps.position_value import PositionValue, Values
from db.wording.evidence import Evidence
from trapcore import _native
from trapcore.proof.causes import Cause, Mistake, explain
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import INACCURACY

SEEMS = 0.05
"""An engine is asked about a move that seems to cost this much, win chance, at its first look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A move that costs `INACCURACY` or more by two searches of it. Win chances are of who makes it, -1..1."""

    value: _native.MoveValue
    """The move, and where text can be added to it."""
    before: float
    """With the best move."""
    after: float
    """With this one."""
    line: tuple[str, ...]
    """UCI: the best answer and what follows; empty after a stalemate."""
    better: tuple[str, ...]
    """UCI: the best move and what follows."""
    mate_in: int | None = None
    """Moves to the mate that the move allows, if that is proved."""
    cause: Cause | None = None
    """Why the move is worse, if the board shows it."""

    @property
    def best(self) -> str:
        """The best move, UCI."""
        return self.better[0]

    @property
    def best_line(self) -> tuple[str, ...]:
        """The best move and what follows, SAN."""
        return tuple(_native.sans(self.value.origin, self.better))

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
            mate_in=self.mate_in,
            before=self.before,
            after=self.after,
            best=self.best,
            best_line=self.best_line,
            cause="" if self.cause is None else self.cause.name,
            cause_squares=() if self.cause is None else tuple(self.cause.squares),
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
                better=before.line[:BEST_PLIES],
                line=after.line,
            )


def explained(slips: Iterable[Slip]) -> list[Slip]:
    """The slips, each with the mate that it allows, if one is proved, with lines that say something, and its cause."""
    found = [_lengthened(_with_mate(slip)) for slip in slips]
    explanations = iter(explain(_mistake(slip) for slip in found if slip.line))
    return [replace(slip, cause=next(iter(next(explanations).causes), None)) if slip.line else slip for slip in found]


def _with_mate(slip: Slip) -> Slip:
    """The slip with the line to the mate, where its line seems to come to one."""
    proof = allowed_mate(slip.value.fen, slip.line[0], slip.after) if slip.line else None
    return slip if proof is None else replace(slip, line=proof.line, mate_in=proof.mate_in)


def _lengthened(slip: Slip) -> Slip:
    """The slip, with searches that continue its lines where they are short."""
    line = slip.line if slip.mate_in is not None else tuple(_native.lengthened(slip.value.fen, slip.line))
    return replace(slip, line=line, better=tuple(_native.lengthened(slip.value.origin, slip.better)))


def _mistake(slip: Slip) -> Mistake:
    return Mistake(
        fen=slip.value.origin,
        bait=slip.value.played,
        killer_line=slip.line,
        best_line=slip.better,
        before=slip.before,
        after=slip.after,
        mate_in=slip.mate_in,
    )


def _is_slip(value: _native.MoveValue, before: PositionValue, after: PositionValue, least: float) -> bool:
    if before.chance + after.chance < least or min(before.effort, after.effort) <= _native.LOOK_NODES:
        return False
    is_best_known = bool(before.line) and before.line[0] != value.played
    if not is_best_known or is_book(value.fen):
        return False
    return bool(after.line) or parse_position(value.fen).is_stalemate()
