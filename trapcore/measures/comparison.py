"""Two chess positions compared by any measure, always beside the baselines."""

from dataclasses import dataclass
from typing import Any

from trapcore.errors import UsageError
from trapcore.measures import (
    baselines,
    continuations,
    sampled,
    sequences,
    structural,
    tanimoto,
    terminal,
    tree_edit,
)
from trapcore.measures.options import MAX_BASE_DEPTH, Measure, checked_depth
from trapcore.trees.chess_game import Labels

BY_CHILDREN = (Measure.STRUCTURAL, Measure.SAMPLED)
"""Measures that compare children with their parents; the tree of their base is one ply less deep."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure and its depth. Raises ``UsageError`` for a depth that the measure does not compare.

    All else is as the measure has it by default. Moves are named by UCI, for structural and sampled by SAN: no move of
    an opponent has the UCI name of an own one.
    """

    measure: Measure
    depth: int | None = None
    """Plies: 1..3, by default 2; for tree-edit 1..2. For the base of structural and sampled 1..2, by default 1."""

    def __post_init__(self) -> None:
        """Raises ``UsageError`` for a depth out of range."""
        if self.depth is None:
            return
        if self.measure is Measure.TERMINAL:
            raise UsageError("terminal compares results, which have no depth")
        if self.measure is Measure.TREE_EDIT:
            tree_edit.checked_edit_depth(self.depth)
        elif self.measure in BY_CHILDREN:
            checked_depth(self.depth, MAX_BASE_DEPTH)
        else:
            checked_depth(self.depth)

    @property
    def plies(self) -> int:
        """The depth in use."""
        return self.depth if self.depth is not None else 1 if self.measure in BY_CHILDREN else 2

    @property
    def labels(self) -> Labels:
        """How moves are named."""
        return Labels.SAN if self.measure in BY_CHILDREN else Labels.UCI

    def complete(self) -> dict[str, Any]:
        """The measure and its depth, for JSON."""
        return {"measure": self.measure} | ({} if self.measure is Measure.TERMINAL else {"depth": self.plies})

    def of(self, fen1: str, fen2: str) -> "Compared":
        """The similarity of two positions, and the baselines.

        Raises ``PositionError`` for a bad FEN or two positions that the measure cannot compare.
        """
        depth, error = self.plies, None
        match self.measure:
            case Measure.SEQUENCES:
                value = sequences.of_positions(fen1, fen2, depth=depth)
            case Measure.CONTINUATIONS:
                value = continuations.of_positions(fen1, fen2, depth=depth)
            case Measure.STRUCTURAL:
                value = structural.of_positions(fen1, fen2, depth=depth, labels=self.labels)
            case Measure.TREE_EDIT:
                value = tree_edit.of_positions(fen1, fen2, depth=depth)
            case Measure.TERMINAL:
                value = terminal.of_positions(fen1, fen2)
            case Measure.TANIMOTO:
                value = tanimoto.of_positions(fen1, fen2, depth=depth)
            case Measure.SAMPLED:
                estimate = sampled.of_positions(fen1, fen2, depth=depth, labels=self.labels)
                value, error = estimate.value, estimate.standard_error
        beside = {
            "move-count-ratio": baselines.move_count_ratio_of_positions(fen1, fen2),
            "board": baselines.board_similarity_of_positions(fen1, fen2),
        }
        return Compared(value, error, beside)

    def title(self) -> str:
        """The measure and its depth in one line."""
        return f"{self.measure}" if self.measure is Measure.TERMINAL else f"{self.measure}, depth {self.plies}"


@dataclass(frozen=True, slots=True)
class Compared:
    """Result of a comparison."""

    value: float
    """0.0..1.0."""
    standard_error: float | None
    """Of an estimate; None where the value is exact."""
    baselines: dict[str, float]
    """By name, 0.0..1.0: similarity by the number of moves and by the board alone."""

    def answer(self) -> dict[str, Any]:
        """The same for JSON."""
        error = {} if self.standard_error is None else {"standard_error": self.standard_error}
        return {"value": self.value, **error, "baselines": self.baselines}
