"""The definitions of the measures: the paper's numbers, and what must hold for any trees."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from trapcore.chess_tree import Labels
from trapcore.errors import UsageError
from trapcore.measures import baselines, continuations, sequences, structural
from trapcore.measures.options import MAX_BASE_DEPTH, Base, Measure, Unpaired, checked_depth, chosen
from trapcore.trees import Tree

T1 = Tree.literal({"a": {"c": {}, "d": {}, "e": {}, "f": {}}, "b": {"c": {}, "d": {}}, "c": {"a": {}, "b": {}}})
T2 = Tree.literal({"a": {"d": {}, "e": {}, "g": {}}, "c": {"a": {}, "b": {}, "h": {}}, "d": {"b": {}}})

LABELS = st.sampled_from("abcdefgh")
TREES = st.recursive(
    st.just(Tree()),
    lambda below: st.lists(st.tuples(LABELS, below), max_size=5).map(lambda children: Tree(tuple(children))),
    max_leaves=30,
)
SIMILARITIES = st.lists(st.floats(0, 1), max_size=9)

MEASURES: dict[str, Callable[[Tree, Tree], float]] = {
    "continuations 1": lambda a, b: continuations.of_trees(a, b, 1),
    "continuations 2": lambda a, b: continuations.of_trees(a, b, 2),
    "sequences 1": lambda a, b: sequences.of_trees(a, b, 1),
    "sequences 2": lambda a, b: sequences.of_trees(a, b, 2),
    "sequences 3": lambda a, b: sequences.of_trees(a, b, 3),
    "structural": structural.of_trees,
    "structural, pad": lambda a, b: structural.of_trees(a, b, unpaired=Unpaired.PAD),
    "structural on sequences 2": lambda a, b: structural.of_trees(a, b, sequences.of_trees, 2),
    "move-count ratio": baselines.move_count_ratio,
}
each_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES.keys())


def test_figure_1() -> None:
    assert (T1.edges, T2.edges) == (11, 10)
    assert continuations.of_trees(T1, T2, 2) == 5 / 8
    assert sequences.of_trees(T1, T2, 2) == 12 / 15
    assert structural.child_similarities(T1) == [1 / 6, 1 / 4, 2 / 3]
    assert structural.child_similarities(T2) == [1 / 5, 1 / 5, 0]
    p, q = structural.child_similarities(T1), structural.child_similarities(T2)
    assert structural.cheapest_pairing(p, q) == pytest.approx(0.683, abs=5e-4)
    for unpaired in Unpaired:
        assert structural.of_trees(T1, T2, unpaired=unpaired) == pytest.approx(0.772, abs=5e-4)


def test_the_simplified_trees_of_figure_1() -> None:
    assert sequences.simplified(T1, 2) == {
        ("a", "c"): 2, ("a", "d"): 1, ("a", "e"): 1, ("a", "f"): 1, ("b", "c"): 2, ("b", "d"): 1,
    }  # fmt: skip
    assert set(sequences.simplified(T2, 2)) == {
        ("a", "c"), ("a", "d"), ("a", "e"), ("a", "g"), ("b", "c"), ("b", "d"), ("c", "h"),
    }  # fmt: skip


def test_lines_that_end_early_are_dropped() -> None:
    short = Tree.literal({"a": {}, "b": {"c": {}}})
    assert sequences.simplified(short, 2) == {("b", "c"): 1}
    assert sequences.of_trees(short, Tree.literal({"b": {"c": {}}}), 2) == 1.0
    assert continuations.of_trees(short, Tree.literal({"b": {"c": {}}}), 2) == 2 / 3


def test_trees_without_moves() -> None:
    nothing = Tree(ended=True)
    for measure in MEASURES.values():
        assert measure(nothing, nothing) == 1.0
    for name in ("continuations 1", "continuations 2", "sequences 1", "sequences 2", "structural", "move-count ratio"):
        assert MEASURES[name](nothing, T1) == 0.0
    assert MEASURES["structural, pad"](nothing, T1) == pytest.approx(13 / 36)
    # No line of T1 has three moves, so there is none that the two do not share.
    assert MEASURES["sequences 3"](nothing, T1) == 1.0


@each_measure
@given(a=TREES, b=TREES)
def test_range_symmetry_and_identity(measure: Callable[[Tree, Tree], float], a: Tree, b: Tree) -> None:
    assert 0.0 <= measure(a, b) <= 1.0
    assert measure(a, b) == pytest.approx(measure(b, a), abs=1e-12)
    assert measure(a, a) == 1.0


@each_measure
@given(a=TREES, b=TREES, shuffle=st.randoms(use_true_random=False))
def test_the_order_of_children_is_no_matter(
    measure: Callable[[Tree, Tree], float], a: Tree, b: Tree, shuffle: Random
) -> None:
    def stirred(tree: Tree) -> Tree:
        children = [(label, stirred(child)) for label, child in tree.children]
        shuffle.shuffle(children)
        return Tree(tuple(children))

    assert measure(stirred(a), b) == pytest.approx(measure(a, b), abs=1e-12)


@given(a=TREES, b=TREES)
def test_structural_similarity_does_not_know_what_moves_are_called(a: Tree, b: Tree) -> None:
    def renamed(tree: Tree) -> Tree:
        return Tree(tuple((label.upper(), renamed(child)) for label, child in tree.children))

    for base, depth in ((continuations.of_trees, 1), (sequences.of_trees, 2)):
        assert structural.of_trees(a, renamed(b), base, depth) == structural.of_trees(a, b, base, depth)
    if a.children and b.children:
        assert continuations.of_trees(a, renamed(b), 2) == 0.0


@given(a=TREES, b=TREES)
def test_the_formula_charges_at_least_what_padding_charges(a: Tree, b: Tree) -> None:
    padded = structural.of_trees(a, b, unpaired=Unpaired.PAD)
    assert structural.of_trees(a, b) <= padded + 1e-12


@given(a=st.sets(LABELS), b=st.sets(LABELS))
def test_at_depth_1_sequences_are_the_dice_coefficient_of_continuations(a: set[str], b: set[str]) -> None:
    one, two = (Tree.literal({label: {} for label in sorted(labels)}) for labels in (a, b))
    p = continuations.of_trees(one, two, 1)
    assert sequences.of_trees(one, two, 1) == pytest.approx(2 * p / (1 + p))


@given(p=SIMILARITIES, q=SIMILARITIES)
def test_the_pairing_is_the_optimal_assignment(p: list[float], q: list[float]) -> None:
    distances = np.abs(np.subtract.outer(np.array(p), np.array(q)))
    rows, columns = linear_sum_assignment(distances)
    assert structural.cheapest_pairing(p, q) == pytest.approx(float(distances[rows, columns].sum()), abs=1e-12)


@given(p=SIMILARITIES, q=SIMILARITIES)
def test_padding_is_the_optimal_assignment_of_the_padded_lists(p: list[float], q: list[float]) -> None:
    most = max(len(p), len(q), 1)
    wide = [np.array(x + [1.0] * (most - len(x))) if p or q else np.zeros(1) for x in (p, q)]
    distances = np.abs(np.subtract.outer(*wide))
    rows, columns = linear_sum_assignment(distances)
    best = 1 - float(distances[rows, columns].sum()) / most
    assert structural.of_children(p, q, Unpaired.PAD) == pytest.approx(best, abs=1e-12)


def test_options_name_the_nearest_valid_name() -> None:
    assert chosen(Measure, "sequences") is Measure.SEQUENCES
    for kind, wrong, nearest in (
        (Measure, "sequence", "sequences"),
        (Labels, "ucci", "uci"),
        (Base, "Continuation", "continuations"),
        (Unpaired, "padd", "pad"),
    ):
        with pytest.raises(UsageError, match=f"did you mean '{nearest}'"):
            chosen(kind, wrong)
    with pytest.raises(UsageError, match="known are uci, san"):
        chosen(Labels, "lan1")


def test_depths_out_of_range_are_refused() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    for depth in (0, 4, -1):
        with pytest.raises(UsageError, match="depth must be"):
            continuations.of_positions(fen, fen, depth=depth)
        with pytest.raises(UsageError, match="depth must be"):
            sequences.of_positions(fen, fen, depth=depth)
    with pytest.raises(UsageError, match=r"1\.\.2 plies, not 3"):
        structural.of_positions(fen, fen, depth=3)
    assert checked_depth(MAX_BASE_DEPTH, MAX_BASE_DEPTH) == 2
