"""Baselines: what costs next to nothing and says surprisingly much. A similarity is shown beside them, never alone.

Board similarity is the control of Evans & Turrini, section 4 ("cross-correlation": squares that differ over 64), here
as a similarity. The move-count ratio is what the structural similarity mostly measures in chess.
"""

import chess

from trapcore import _native
from trapcore.trees import Tree


def move_count_ratio(t1: Tree, t2: Tree) -> float:
    """The smaller number of moves over the larger, 0.0..1.0; two positions without moves are alike: 1.0."""
    c1, c2 = len(t1.children), len(t2.children)
    return min(c1, c2) / max(c1, c2) if c1 or c2 else 1.0


def board_similarity(board1: chess.Board, board2: chess.Board) -> float:
    """One minus the share of the 64 squares that differ, 0.0..1.0; whose move it is does not count."""
    return 1 - sum(board1.piece_at(s) != board2.piece_at(s) for s in chess.SQUARES) / 64


def move_count_ratio_of_positions(fen1: str, fen2: str) -> float:
    """`move_count_ratio` of two chess positions. Raises ``PositionError``."""
    return _native.move_count_ratio(fen1, fen2)


def board_similarity_of_positions(fen1: str, fen2: str) -> float:
    """`board_similarity` of two chess positions. Raises ``PositionError``."""
    return _native.board_similarity(fen1, fen2)
