"""Similarity of continuations: the moves that both trees contain among all moves that either contains.

Source: Evans & Turrini, section 2.1.
"""

from trapcore import _native
from trapcore.measures.options import checked_depth, chosen
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Tree


def of_trees(t1: Tree, t2: Tree, depth: int) -> float:
    """P_cont of two trees, 0.0..1.0: the Jaccard similarity of their sets of labels at depths 1 to ``depth``.

    The trees must reach ``depth`` (>= 1) unless the game ends before. Two trees without moves are equal: 1.0.
    """
    m1, m2 = t1.labels(depth), t2.labels(depth)
    if not m1 | m2:
        return 1.0
    return len(m1 & m2) / len(m1 | m2)


def of_positions(fen1: str, fen2: str, *, depth: int = 2, labels: str = Labels.UCI, captures: bool = False) -> float:
    """P_cont of two chess positions, 0.0..1.0, to ``depth`` 1..3 plies.

    Raises ``PositionError`` for a bad FEN and ``UsageError`` for an option that does not exist.
    """
    return _native.continuations(fen1, fen2, checked_depth(depth), chosen(Labels, labels), captures)
