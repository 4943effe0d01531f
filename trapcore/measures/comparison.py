"""Two chess positions compared by any measure, always beside the baselines."""

from dataclasses import dataclass
from typing import Any

from trapcore import _native
from trapcore.errors import PositionError, UsageError
from trapcore.measures.options import MAX_BASE_DEPTH, Measure, checked_depth, checked_edit_depth
from trapcore.trees.chess_game import Labels, parse_position

BY_CHILDREN = (Measure.STRUCTURAL, Measure.SAMPLED)
"""Measures that compare children with their parents; the tree of their base is one ply less deep."""

CHILDREN = 12
"""Children that the sampled measure draws of a position."""


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
            checked_edit_depth(self.depth)
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
                value = _native.sequences(fen1, fen2, depth, self.labels, False, False)
            case Measure.CONTINUATIONS:
                value = _native.continuations(fen1, fen2, depth, self.labels, False)
            case Measure.STRUCTURAL:
                value = _native.structural(fen1, fen2, "continuations", depth, self.labels, False, "formula", None)
            case Measure.TREE_EDIT:
                value = _tree_edit(fen1, fen2, depth, self.labels)
            case Measure.TERMINAL:
                value = terminal(fen1, fen2)
            case Measure.TANIMOTO:
                value = _native.tanimoto(fen1, fen2, depth, self.labels, False, False)
            case Measure.SAMPLED:
                value, error = _native.sampled_structural(
                    fen1, fen2, "continuations", depth, self.labels, False, CHILDREN, 0
                )
        beside = {
            "move-count-ratio": _native.move_count_ratio(fen1, fen2),
            "board": _native.board_similarity(fen1, fen2),
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


def terminal(fen1: str, fen2: str) -> float:
    """How near the results of two games are, 0.0..1.0: 1.0 for the same, 0.5 for a draw and a win, 0.0 if only one game
    is over (Evans & Turrini, section 2.4). Raises ``PositionError`` for a bad FEN, and if both games go on."""
    ends = [game_end(fen) for fen in (fen1, fen2)]
    if ends == [None, None]:
        raise PositionError("the measure terminal compares ends of the game; in both positions it goes on", fen1)
    one, other = ends
    return 0.0 if one is None or other is None else 1 - abs(one - other) / 2


def game_end(fen: str) -> float | None:
    """What a game that ended in a position gives White: -1.0 mated, 0.0 stalemate, 1.0 Black is mated; None if the game
    goes on. Raises ``PositionError`` for a bad FEN."""
    board = parse_position(fen)
    if any(board.legal_moves):
        return None
    return 0.0 if not board.is_check() else -1.0 if board.turn else 1.0


def _tree_edit(fen1: str, fen2: str, depth: int, labels: Labels) -> float:
    found = _native.tree_edit(fen1, fen2, depth, labels, False)
    if found is None:
        raise UsageError("the trees are too large for tree-edit: one has more than 12,000 moves; try --depth 1")
    return found
