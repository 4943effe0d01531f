"""Similarity of sequences: the lines that both trees contain, with their moves in any order.

Source: Evans & Turrini, section 2.2. Their section 2.5 takes it for equal to the similarity of continuations P at
depth 1. It orders pairs of positions in the same way, but its value is 2P / (1 + P): Dice's coefficient, not Jaccard's.
"""

from collections import Counter

from trapcore import _native
from trapcore.measures.options import checked_depth, chosen
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Tree


def simplified(tree: Tree, depth: int, *, prefixes: bool = False) -> Counter[tuple[str, ...]]:
    """The simplified tree T' with its multiplicities k: each line of exactly ``depth`` moves, its labels sorted.

    With ``prefixes`` also each line of fewer moves, so that every node of the tree counts once. Figure 1 of the paper
    comes out without them (with them it is 16/21 instead of the printed 12/15); its Example 1, in which a tree cut
    short by a mate still shares its first moves, needs them. The paper does not say how to count lines that end
    early: without prefixes they are dropped.
    """
    lengths = range(1, depth + 1) if prefixes else (depth,)
    lines = (line for length in lengths for line in tree.lines(length) if len(line) == length)
    return Counter(tuple(sorted(line)) for line in lines)


def of_trees(t1: Tree, t2: Tree, depth: int, *, prefixes: bool = False) -> float:
    """P_seq of two trees, 0.0..1.0: both multiplicities of every shared sequence, over all multiplicities.

    The trees must reach ``depth`` (>= 1) unless the game ends before. Two trees without a line that long are
    equal: 1.0. One minus it is no metric: the triangle inequality fails, as it does for every form of Dice's.
    """
    k1, k2 = simplified(t1, depth, prefixes=prefixes), simplified(t2, depth, prefixes=prefixes)
    if not k1 and not k2:
        return 1.0
    return sum(k1[s] + k2[s] for s in k1.keys() & k2.keys()) / (k1.total() + k2.total())


def of_positions(
    fen1: str,
    fen2: str,
    *,
    depth: int = 2,
    labels: str = Labels.UCI,
    captures: bool = False,
    prefixes: bool = False,
) -> float:
    """P_seq of two chess positions, 0.0..1.0, for lines of ``depth`` 1..3 plies.

    ``captures`` records what is captured with each move, the paper's adaptation to games with irreversible moves
    (section 4); ``prefixes`` adds the shorter lines. Raises ``PositionError`` for a bad FEN and ``UsageError`` for an
    option that does not exist.
    """
    return _native.sequences(fen1, fen2, checked_depth(depth), chosen(Labels, labels), captures, prefixes)


# Tried and left: the usual Jaccard similarity of multisets (sum of minima over sum of maxima) gives 1/2 on Figure 1.
