"""Tanimoto similarity: the kernel of chemistry that the similarity of sequences is related to, on the same sequences.

Source: Evans & Turrini, section 2.2, "Relation to Kernels"; Swamidass et al., Bioinformatics 21 (2005), i359.
"""

from trapcore import _native
from trapcore.measures.options import checked_depth, chosen
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Tree
from workshop.reference.measures.sequences import simplified


def of_trees(t1: Tree, t2: Tree, depth: int, *, prefixes: bool = False) -> float:
    """Tanimoto's coefficient of the multiplicities of sequences, 0.0..1.0: <k1, k2> / (<k1, k1> + <k2, k2> - <k1, k2>).

    The sequences are those of `sequences.simplified`, with its options. Where each occurs once, as in chess at depth 2
    with ``uci`` labels, this is the Jaccard similarity of their sets, and one minus it a metric; with other
    multiplicities the triangle inequality can fail. Two trees without a line are equal: 1.0.
    """
    k1, k2 = simplified(t1, depth, prefixes=prefixes), simplified(t2, depth, prefixes=prefixes)
    if not k1 and not k2:
        return 1.0
    shared = sum(k1[s] * k2[s] for s in k1.keys() & k2.keys())
    return shared / (sum(k * k for k in k1.values()) + sum(k * k for k in k2.values()) - shared)


def of_positions(
    fen1: str,
    fen2: str,
    *,
    depth: int = 2,
    labels: str = Labels.UCI,
    captures: bool = False,
    prefixes: bool = False,
) -> float:
    """Tanimoto's coefficient of two chess positions, 0.0..1.0, for lines of ``depth`` 1..3 plies.

    Raises ``PositionError`` for a bad FEN and ``UsageError`` for an option that does not exist.
    """
    return _native.tanimoto(fen1, fen2, checked_depth(depth), chosen(Labels, labels), captures, prefixes)
