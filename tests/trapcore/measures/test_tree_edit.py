"""The tree-edit similarity: its definition against independent ones, and the Rust core against the definition."""

from functools import lru_cache
from itertools import permutations

import pytest
import zss  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import ENDGAMES, FENS, played
from tests.trapcore.measures.test_paper_measures import LABELS, T1, T2, TREES
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures import tree_edit
from trapcore.measures.tree_edit import UNORDERED_LIMIT, Forest, ordered_distance, sorted_forest, unordered_distance
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree

SMALL = st.recursive(
    st.just(()), lambda below: st.lists(st.tuples(LABELS, below), max_size=3).map(tuple), max_leaves=6
).filter(lambda forest: size(forest) <= 7)


def size(forest: Forest) -> int:
    return sum(1 + size(below) for _, below in forest)


def test_figure_1() -> None:
    f1, f2 = sorted_forest(T1, 2), sorted_forest(T2, 2)
    assert ordered_distance(f1, f2) == 8
    assert tree_edit.of_trees(T1, T2, 2) == pytest.approx(0.448, abs=5e-4)
    assert unordered_distance(f1, f2) == 6
    assert tree_edit.of_trees(T1, T2, 2, ordered=False) == pytest.approx(15 / 27)
    # The order of children under which the ordered distance is the printed one, as well.
    a, c, d = f2
    assert ordered_distance(f1, (a, d, c)) == 6
    assert min(ordered_distance(f1, order) for order in permutations(f2)) == 6


@lru_cache(maxsize=20_000)
def by_the_book(f: Forest, g: Forest) -> int:
    """The recursion that defines the ordered distance, on the last roots of both forests."""
    if not f or not g:
        return size(f) + size(g)
    (label, below), (other, its_below) = f[-1], g[-1]
    return min(
        by_the_book(f[:-1] + below, g) + 1,
        by_the_book(f, g[:-1] + its_below) + 1,
        by_the_book(below, its_below) + by_the_book(f[:-1], g[:-1]) + (label != other),
    )


@given(f=SMALL, g=SMALL)
@settings(deadline=None, max_examples=60)
def test_the_ordered_distance_is_what_defines_it(f: Forest, g: Forest) -> None:
    assert ordered_distance(f, g) == by_the_book(f, g)


@given(a=TREES, b=TREES)
@settings(deadline=None, max_examples=30)
def test_another_program_finds_the_same_distance(a: Tree, b: Tree) -> None:
    def node(label: str, forest: Forest) -> zss.Node:
        return zss.Node(label, [node(*child) for child in forest])

    f, g = sorted_forest(a, 4), sorted_forest(b, 4)
    found = zss.simple_distance(node("", f), node("", g), label_dist=lambda x, y: int(x != y))
    assert ordered_distance(f, g) == found


def orders(forest: Forest) -> list[Forest]:
    """The forest with the children of every node in every order."""
    done: list[Forest] = [()]
    for label, below in forest:
        done = [(*others, (label, order)) for others in done for order in orders(below)]
    return [order for one in done for order in permutations(one)]


@given(f=SMALL.filter(lambda f: size(f) <= 5), g=SMALL.filter(lambda f: size(f) <= 5))
@settings(deadline=None, max_examples=40)
def test_the_unordered_distance_is_the_least_of_all_orders(f: Forest, g: Forest) -> None:
    """For trees as small as these; of larger ones no order need reach it."""
    assert unordered_distance(f, g) == min(ordered_distance(x, y) for x in orders(f) for y in orders(g))


@given(f=SMALL, g=SMALL, h=SMALL)
@settings(deadline=None, max_examples=40)
def test_the_unordered_distance_is_a_metric(f: Forest, g: Forest, h: Forest) -> None:
    f, g, h = (tuple(sorted(forest)) for forest in (f, g, h))
    assert unordered_distance(f, f) == 0
    assert unordered_distance(f, g) == unordered_distance(g, f) <= ordered_distance(f, g)
    assert unordered_distance(f, h) <= unordered_distance(f, g) + unordered_distance(g, h)


def test_large_trees_are_not_compared_without_an_order() -> None:
    wide = Tree(tuple((f"m{i}", Tree()) for i in range(UNORDERED_LIMIT + 1)))
    with pytest.raises(UsageError, match=f"at most {UNORDERED_LIMIT} moves, not {UNORDERED_LIMIT + 1}"):
        tree_edit.of_trees(wide, wide, 1, ordered=False)
    with pytest.raises(UsageError, match="unordered"):
        tree_edit.of_positions(FENS[0], FENS[0], depth=1, ordered=False)
    few = "8/8/8/8/8/2k5/1p6/K7 w - - 0 1"
    assert tree_edit.of_positions(few, few, depth=1, ordered=False) == 1


def test_trees_of_absurd_positions_are_refused() -> None:
    """Boards full of queens have more moves than the tables should hold."""
    queens = "k1q1qq2/q6q/8/q2q3q/Q2Q2qQ/Q7/Q6Q/K1Q2Q2 w - - 0 1"
    assert _native.perft(queens, 2) > 12_000
    with pytest.raises(UsageError, match="12,000"):
        tree_edit.of_positions(ENDGAMES[0], queens)
    assert 0 < tree_edit.of_positions(FENS[0], queens, depth=1) < 1


@given(
    fens=st.tuples(played(), played(plies=4)),
    labels=st.sampled_from(Labels),
    captures=st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_the_core_at_depth_1(fens: tuple[str, str], labels: Labels, captures: bool) -> None:
    t1, t2 = (chess_tree(fen, 1, labels, captures=captures) for fen in fens)
    fast = tree_edit.of_positions(*fens, depth=1, labels=labels, captures=captures)
    assert fast == pytest.approx(tree_edit.of_trees(t1, t2, 1), abs=1e-12)


@pytest.mark.slow
@given(
    fens=st.tuples(played(ENDGAMES, plies=6), played(ENDGAMES, plies=6)),
    labels=st.sampled_from(Labels),
    captures=st.booleans(),
)
@settings(deadline=None, max_examples=25)
def test_the_core_at_depth_2(fens: tuple[str, str], labels: Labels, captures: bool) -> None:
    t1, t2 = (chess_tree(fen, 2, labels, captures=captures) for fen in fens)
    fast = tree_edit.of_positions(*fens, depth=2, labels=labels, captures=captures)
    assert fast == pytest.approx(tree_edit.of_trees(t1, t2, 2), abs=1e-12)


def test_the_core_on_full_boards() -> None:
    fens = ("rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5", "4k3/8/8/1N3N2/8/8/1N3N2/4K3 w - - 0 1")
    for labels in Labels:
        t1, t2 = (chess_tree(fen, 2, labels) for fen in fens)
        fast = tree_edit.of_positions(*fens, labels=labels)
        assert fast == pytest.approx(tree_edit.of_trees(t1, t2, 2), abs=1e-12)
        assert 0 < fast < 1
