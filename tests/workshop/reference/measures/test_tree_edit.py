"""The tree-edit similarity: its definition against independent ones, and the Rust core against the definition."""

from itertools import permutations

import pytest
import zss  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import ENDGAMES, FENS, played
from tests.workshop.reference.measures.test_paper_measures import LABELS, T1, T2, TREES
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree
from workshop.reference.measures import tree_edit
from workshop.reference.measures.tree_edit import (
    UNORDERED_LIMIT,
    Forest,
    ordered_distance,
    sorted_forest,
    unordered_distance,
)

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


@given(a=TREES, b=TREES)
@settings(deadline=None, max_examples=30)
def test_another_program_finds_the_same_distance(a: Tree, b: Tree) -> None:
    def node(label: str, forest: Forest) -> zss.Node:
        return zss.Node(label, [node(*child) for child in forest])

    f, g = sorted_forest(a, 4), sorted_forest(b, 4)
    found = zss.simple_distance(node("", f), node("", g), label_dist=lambda x, y: int(x != y))
    assert ordered_distance(f, g) == found


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
