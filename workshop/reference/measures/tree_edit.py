"""Tree-edit similarity: how few moves must be inserted, removed or renamed to turn one tree into the other.

Source: Evans & Turrini, section 2.3, who normalise the distance as Li and Zhang do (2011), so that one minus the
similarity is a metric. |T| is the number of moves (edges) of a tree: only so is Figure 1's 15/27 theirs.

The paper orders the children of each node first, because the distance of unordered trees is NP-hard to find.
With the alphabetical order, which it also prescribes for sequences, the distance of its two example trees is 8 and the
similarity 0.448; the printed 6 and 0.556 are the unordered distance, which `unordered_distance` finds for trees as
small as those.
"""

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.options import checked_edit_depth, chosen
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree

UNORDERED_LIMIT = 12
"""Most moves of a tree whose unordered distance is searched for: with each one more the time about doubles."""

Forest: TypeAlias = tuple[tuple[str, "Forest"], ...]
"""Trees side by side, each a label and the forest below it."""


def sorted_forest(tree: Tree, depth: int) -> Forest:
    """What stands below the root of ``tree`` to ``depth``, the children of each node in alphabetical order.

    Children of one name are put into the order of what is below them, so that the order of the game is no matter.
    """
    if depth == 0:
        return ()
    return tuple(sorted((label, sorted_forest(child, depth - 1)) for label, child in tree.children))


def ordered_distance(f1: Forest, f2: Forest) -> int:
    """e(T1, T2) of ordered trees by Zhang and Shasha's algorithm (1989): each edit of one move costs 1."""
    # Nodes in postorder with the first node of their subtree; the root has no label and both roots match.
    a, b = (list(_postorder((("", forest),))) for forest in (f1, f2))
    subtrees = [[0] * len(b) for _ in a]
    for k in _keyroots(a):
        for m in _keyroots(b):
            start, begin = a[k][1], b[m][1]
            forests = [[0] * (m - begin + 2) for _ in range(k - start + 2)]
            for j in range(1, m - begin + 2):
                forests[0][j] = j
            for i in range(start, k + 1):
                label, first = a[i]
                above, here = forests[i - start], forests[i - start + 1]
                here[0] = i - start + 1
                for j in range(begin, m + 1):
                    y = j - begin + 1
                    other, its_first = b[j]
                    edited = min(above[y], here[y - 1]) + 1
                    if first == start and its_first == begin:
                        here[y] = min(edited, above[y - 1] + (label != other))
                        subtrees[i][j] = here[y]
                    else:
                        here[y] = min(edited, forests[first - start][its_first - begin] + subtrees[i][j])
    return subtrees[-1][-1]


def _postorder(forest: Forest, before: int = 0) -> Iterator[tuple[str, int]]:
    """Label, and number of the first node of the subtree, of each node; children stand before their parent."""
    for label, below in forest:
        nodes = list(_postorder(below, before))
        yield from nodes
        yield label, before
        before += len(nodes) + 1


def _keyroots(nodes: list[tuple[str, int]]) -> list[int]:
    """Of the nodes whose subtrees begin with the same node, the highest."""
    return sorted({first: number for number, (_, first) in enumerate(nodes)}.values())


def unordered_distance(f1: Forest, f2: Forest) -> int:
    """The least distance for any order of children: only the relation of parent and child must be kept.

    Exact, for trees of at most `UNORDERED_LIMIT` moves each; raises ``UsageError`` for larger ones.
    """
    for forest in (f1, f2):
        if (size := _size(forest)) > UNORDERED_LIMIT:
            raise UsageError(
                f"the unordered tree-edit distance is found for trees of at most {UNORDERED_LIMIT} moves, not {size}"
            )

    @cache
    def least(f: Forest, g: Forest) -> int:
        if not f or not g:
            return _size(f) + _size(g)
        (label, below), rest = f[0], f[1:]
        # The first root of f is removed, or becomes a root of g, or a node below a root of g that is removed.
        best = least(_merged(rest, below), g) + 1
        for i, (other, its_below) in enumerate(g):
            if i and g[i] == g[i - 1]:
                continue
            others = g[:i] + g[i + 1 :]
            best = min(best, least(below, its_below) + least(rest, others) + (label != other))
            if its_below:
                best = min(best, least(f, _merged(others, its_below)) + 1)
        return best

    return least(f1, f2)


def _size(forest: Forest) -> int:
    return sum(1 + _size(below) for _, below in forest)


def _merged(forest: Forest, more: Forest) -> Forest:
    return tuple(sorted(forest + more))


def of_trees(t1: Tree, t2: Tree, depth: int, *, ordered: bool = True) -> float:
    """P_tree of two trees, 0.0..1.0: 1 - 2e / (|T1| + |T2| + e), to ``depth`` (>= 1) plies; 1.0 if neither has a move.

    The children of each node are compared in alphabetical order, or, if not ``ordered``, in whichever makes the trees
    most similar. Raises ``UsageError`` for trees of more than `UNORDERED_LIMIT` moves.
    """
    f1, f2 = sorted_forest(t1, depth), sorted_forest(t2, depth)
    distance = ordered_distance(f1, f2) if ordered else unordered_distance(f1, f2)
    whole = _size(f1) + _size(f2) + distance
    return 1 - 2 * distance / whole if whole else 1.0


def of_positions(
    fen1: str,
    fen2: str,
    *,
    depth: int = 2,
    labels: str = Labels.UCI,
    captures: bool = False,
    ordered: bool = True,
) -> float:
    """P_tree of two chess positions, 0.0..1.0, to ``depth`` 1..2 plies.

    Raises ``PositionError`` for a bad FEN and ``UsageError`` for an option that does not exist, or if the trees are too
    large: without an order above `UNORDERED_LIMIT` moves, else above 12,000, which no position of a game reaches.
    """
    depth, naming = checked_edit_depth(depth), chosen(Labels, labels)
    if ordered:
        found = _native.tree_edit(fen1, fen2, depth, naming, captures)
        if found is None:
            raise UsageError("the trees are too large for tree-edit: one has more than 12,000 moves; try --depth 1")
        return found
    t1, t2 = (chess_tree(fen, depth, naming, captures=captures) for fen in (fen1, fen2))
    return of_trees(t1, t2, depth, ordered=False)
