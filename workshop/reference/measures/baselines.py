"""Baselines: what costs next to nothing and says surprisingly much. A similarity is shown beside them, never alone.

Board similarity is the control of Evans & Turrini, section 4, turned into a similarity: what they call
cross-correlation is `board_difference`, one minus it. The move-count ratio is what the structural similarity mostly
measures in chess.
"""

import chess

from trapcore import _native
from trapcore.trees.tree import Tree


def move_count_ratio(t1: Tree, t2: Tree) -> float:
    """The smaller number of moves over the larger, 0.0..1.0; two positions without moves are equal: 1.0."""
    c1, c2 = len(t1.children), len(t2.children)
    return min(c1, c2) / max(c1, c2) if c1 or c2 else 1.0


def board_similarity(board1: chess.Board, board2: chess.Board) -> float:
    """One minus the share of the 64 squares that differ, 0.0..1.0; whose move it is does not count."""
    return 1 - board_difference(board1, board2)


def board_difference(board1: chess.Board, board2: chess.Board) -> float:
    """The paper's "cross-correlation": the number of squares where the pieces differ over 64, 0.0..1.0; a metric."""
    return sum(board1.piece_at(s) != board2.piece_at(s) for s in chess.SQUARES) / 64


def move_count_ratio_of_positions(fen1: str, fen2: str) -> float:
    """`move_count_ratio` of two chess positions. Raises ``PositionError``."""
    return _native.move_count_ratio(fen1, fen2)


def board_similarity_of_positions(fen1: str, fen2: str) -> float:
    """`board_similarity` of two chess positions. Raises ``PositionError``."""
    return _native.board_similarity(fen1, fen2)
