"""Structural similarity: how the children stand to their parent, without comparing any move of one tree to the other.

Source: Evans & Turrini, section 3.1 and Algorithm 1, which contradict each other about children without a partner
(see ``options.Unpaired``); Figure 1 is the same under both. The paper contradicts itself as well about what a child is
compared with (see ``options.Reference``): its own parent in Figure 1, and in Table 1 the root that the two compared
positions were reached from, without which that table's 5/6 would be 7/9.

By the formula, one minus the similarity is a metric on lists of child similarities, known from the tracking of objects
as the OSPA metric of order and cut-off 1.
"""

from collections.abc import Callable
from typing import TypedDict, Unpack

from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.options import MAX_BASE_DEPTH, checked_depth, chosen
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Tree
from workshop.reference.measures import continuations
from workshop.reference.measures.options import Base, Reference, Unpaired

TreeSimilarity = Callable[[Tree, Tree, int], float]


def child_similarities(
    tree: Tree, base: TreeSimilarity = continuations.of_trees, depth: int = 1, root: Tree | None = None
) -> list[float]:
    """P(T_i) of the paper: the ``base`` similarity, to ``depth`` plies, of each child's own tree with its parent's.

    The tree must reach ``depth + 1``. The move that leads to the child belongs to the parent's tree only. With ``root``
    the children are compared with that tree instead, the one that ``tree`` is a branch of.
    """
    reference = tree if root is None else root
    return [base(child, reference, depth) for _, child in tree.children]


def cheapest_pairing(p: list[float], q: list[float]) -> float:
    """Least sum of ``|p_i - q_j|`` when every member of the shorter list gets a partner of its own in the longer.

    The paper calls for the Hungarian algorithm. On numbers a table over the sorted lists is enough: if two pairs
    cross, p_i <= p_j with partners q_k >= q_l, then exchanging the partners costs no more, because |.| is convex; so
    some cheapest pairing keeps the order of both lists.
    """
    few, many = sorted((sorted(p), sorted(q)), key=len)
    # least[j]: cheapest pairing of the members of `few` seen so far with partners among the first j of `many`.
    least = [0.0] * (len(many) + 1)
    for x in few:
        with_x = [float("inf")]
        for j, y in enumerate(many):
            with_x.append(min(with_x[j], least[j] + abs(x - y)))
        least = with_x
    return least[-1]


def of_children(p: list[float], q: list[float], unpaired: Unpaired = Unpaired.FORMULA) -> float:
    """S of two lists of child similarities, 0.0..1.0; two positions without moves are equal: 1.0."""
    most = max(len(p), len(q))
    if most == 0:
        return 1.0
    surplus = abs(len(p) - len(q))
    if unpaired is Unpaired.FORMULA:
        distance = surplus + cheapest_pairing(p, q)
    else:
        few, many = sorted((p, q), key=len)
        padded = sorted(few + [1.0] * surplus)
        distance = sum(abs(x - y) for x, y in zip(padded, sorted(many), strict=True))
    return 1.0 - distance / most


def of_trees(
    t1: Tree,
    t2: Tree,
    base: TreeSimilarity = continuations.of_trees,
    depth: int = 1,
    unpaired: Unpaired = Unpaired.FORMULA,
    root: Tree | None = None,
) -> float:
    """S of two trees, 0.0..1.0, on ``base`` to ``depth`` (>= 1) plies; the trees must reach ``depth + 1``.

    With ``root``, the tree that both are branches of, their children are compared with it (`Reference.ROOT`), else each
    with its own parent.
    """
    p, q = (child_similarities(tree, base, depth, root) for tree in (t1, t2))
    return of_children(p, q, unpaired)


class BaseOptions(TypedDict, total=False):
    """Options of the base, the measure that compares a child with its parent."""

    base: str
    """A member of `Base`; by default continuations."""
    depth: int
    """Plies, 1..2; by default 1."""
    labels: str
    """A member of `Labels`; by default UCI."""
    captures: bool
    """The captured piece belongs to the label; by default not."""


def base_arguments(options: BaseOptions) -> tuple[Base, int, Labels, bool]:
    """Base, depth, labels and captures as the core takes them; raises ``UsageError`` for a value out of range."""
    return (
        chosen(Base, options.get("base", Base.CONTINUATIONS)),
        checked_depth(options.get("depth", 1), MAX_BASE_DEPTH),
        chosen(Labels, options.get("labels", Labels.UCI)),
        options.get("captures", False),
    )


def of_positions(
    fen1: str,
    fen2: str,
    *,
    unpaired: str = Unpaired.FORMULA,
    reference: str = Reference.PARENT,
    root: str | None = None,
    **base: Unpack[BaseOptions],
) -> float:
    """S of two chess positions, 0.0..1.0, with the options of its base (`BaseOptions`).

    In chess a child's moves are the opponent's, so with ``uci`` labels and a base of depth 1 nothing is ever shared
    with the parent and S is exactly `baselines.move_count_ratio`. With the ``reference`` ``root``, and ``root`` the FEN
    of a position one ply before both, it is the moves of one side that are compared. Raises ``PositionError`` for a bad
    FEN and ``UsageError`` for an option that does not exist, and if ``root`` is given without being wanted, or wanted
    without being given.
    """
    if (chosen(Reference, reference) is Reference.ROOT) != (root is not None):
        raise UsageError("the reference 'root' goes with a root: the FEN of the position that both come from")
    return _native.structural(fen1, fen2, *base_arguments(base), chosen(Unpaired, unpaired), root)
