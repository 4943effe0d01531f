"""The definitions of the measures: the paper's numbers, and what must hold for any trees."""

from collections.abc import Callable
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from trapcore.errors import PositionError, UsageError
from trapcore.measures.comparison import terminal
from trapcore.measures.options import MAX_BASE_DEPTH, IndexedMeasure, Measure, checked_depth, chosen, indexed
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Nested, Tree, local_tree
from workshop.games.rules.tic_tac_toe import TicTacToe
from workshop.reference.measures import baselines, continuations, sequences, structural, tanimoto, tree_edit
from workshop.reference.measures.options import Base, Reference, Unpaired

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
    "sequences to 2": lambda a, b: sequences.of_trees(a, b, 2, prefixes=True),
    "tanimoto 1": lambda a, b: tanimoto.of_trees(a, b, 1),
    "tanimoto 2": lambda a, b: tanimoto.of_trees(a, b, 2),
    "tanimoto to 3": lambda a, b: tanimoto.of_trees(a, b, 3, prefixes=True),
    "tree edit 1": lambda a, b: tree_edit.of_trees(a, b, 1),
    "tree edit 3": lambda a, b: tree_edit.of_trees(a, b, 3),
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


def test_table_1() -> None:
    """The paper's tic-tac-toe branches come out if grandchildren are compared with the root, and only then."""
    game = TicTacToe()
    root = local_tree(game, game.parse("X.O/.X./X.O o"), 4)
    branches = dict(root.children)
    assert set(branches) == {"B1", "A2", "C2", "B3"}
    assert branches["C2"].ended
    printed = {
        ("B1", "A2"): 5 / 6, ("B1", "C2"): 0, ("B1", "B3"): 1, ("A2", "C2"): 0, ("A2", "B3"): 5 / 6, ("C2", "B3"): 0,
    }  # fmt: skip
    for one, two in combinations(("B1", "A2", "C2", "B3"), 2):
        value = structural.of_trees(branches[one], branches[two], root=root)
        assert value == pytest.approx(printed[one, two], abs=1e-12)
    assert structural.of_trees(branches["C2"], branches["C2"], root=root) == 1
    assert structural.child_similarities(branches["B1"], root=root) == [0.5, 0, 0.5]
    # By the convention of Figure 1 the two values that are neither 0 nor 1 differ from the printed ones.
    assert structural.of_trees(branches["B1"], branches["A2"]) == pytest.approx(7 / 9)


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


def test_prefixes_count_every_node_once() -> None:
    assert sequences.simplified(T1, 2, prefixes=True).total() == T1.edges
    assert sequences.of_trees(T1, T2, 2, prefixes=True) == 16 / 21
    assert sequences.of_trees(T1, T2, 1, prefixes=True) == sequences.of_trees(T1, T2, 1)


def test_example_1() -> None:
    """A tree cut short by mate shares its first moves with one that goes on; without prefixes it shares nothing."""
    moves = [f"m{i}" for i in range(6)]
    replies: Nested = {f"r{i}": {} for i in range(6)}
    short = Tree.literal({move: {} for move in moves[:-1]})
    whole = Tree.literal(dict.fromkeys(moves, replies))
    assert sequences.of_trees(short, whole, 2) == 0
    assert sequences.of_trees(short, whole, 2, prefixes=True) == (5 + 5) / (5 + 6 + 36)
    for prefixes in (False, True):
        by_sequences = sequences.of_trees(short, whole, 2, prefixes=prefixes)
        assert by_sequences < continuations.of_trees(short, whole, 2)


def test_tanimoto_of_figure_1() -> None:
    # Products ac 2, ad 1, ae 1, bc 2, bd 1; squares of T1 4 + 1 + 1 + 1 + 4 + 1, of T2 seven times 1.
    assert tanimoto.of_trees(T1, T2, 2) == 7 / (12 + 7 - 7)
    assert tanimoto.of_trees(T1, T2, 1) == 2 / 4


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


METRICS: dict[str, Callable[[Tree, Tree], float]] = {
    "continuations": lambda a, b: continuations.of_trees(a, b, 2),
    "tree edit": lambda a, b: tree_edit.of_trees(a, b, 3),
    "structural": structural.of_trees,
    "structural on sequences": lambda a, b: structural.of_trees(a, b, sequences.of_trees, 2),
    "move-count ratio": baselines.move_count_ratio,
}


@pytest.mark.parametrize("measure", METRICS.values(), ids=METRICS.keys())
@given(a=TREES, b=TREES, c=TREES)
def test_one_minus_these_is_a_metric(measure: Callable[[Tree, Tree], float], a: Tree, b: Tree, c: Tree) -> None:
    far, one, two = (1 - measure(x, y) for x, y in ((a, c), (a, b), (b, c)))
    assert far <= one + two + 1e-12


@given(a=st.sets(LABELS), b=st.sets(LABELS), c=st.sets(LABELS))
def test_tanimoto_is_a_metric_where_each_sequence_occurs_once(a: set[str], b: set[str], c: set[str]) -> None:
    trees = [Tree.literal({label: {} for label in sorted(labels)}) for labels in (a, b, c)]
    far, one, two = (1 - tanimoto.of_trees(trees[i], trees[j], 1) for i, j in ((0, 2), (0, 1), (1, 2)))
    assert far <= one + two + 1e-12
    assert far == pytest.approx(1 - continuations.of_trees(trees[0], trees[2], 1))


def test_the_others_are_no_metrics() -> None:
    """Counterexamples: what the first and the last share with the one between them, they need not share."""
    one, both, two = (Tree.literal({label: {} for label in labels}) for labels in ("a", "ab", "b"))
    assert 1 - sequences.of_trees(one, two, 1) > 2 - sequences.of_trees(one, both, 1) - sequences.of_trees(both, two, 1)
    often, twice, once = (Tree((("a", Tree()),) * k) for k in (4, 2, 1))
    steps = 2 - tanimoto.of_trees(often, twice, 1) - tanimoto.of_trees(twice, once, 1)
    assert 1 - tanimoto.of_trees(often, once, 1) > steps
    # Padding cannot tell a child that equals its parent from no child at all.
    assert structural.of_children([1.0], [], Unpaired.PAD) == 1.0


def test_terminal_states_of_chess() -> None:
    black_mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
    white_mated = "8/8/8/8/8/6k1/6q1/7K w - - 0 1"
    stalemate = "7k/8/8/8/8/8/5q2/7K w - - 0 1"
    goes_on = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    assert terminal(black_mated, black_mated) == 1
    assert terminal(black_mated, white_mated) == 0
    assert terminal(white_mated, stalemate) == 0.5
    assert terminal(stalemate, goes_on) == 0
    with pytest.raises(PositionError, match="goes on"):
        terminal(goes_on, goes_on)


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
        (Reference, "rot", "root"),
        (Measure, "tree-edits", "tree-edit"),
    ):
        with pytest.raises(UsageError, match=f"did you mean '{nearest}'"):
            chosen(kind, wrong)
    with pytest.raises(UsageError, match="known are uci, san"):
        chosen(Labels, "lan1")


def test_only_some_measures_search_a_library() -> None:
    assert [indexed(name) for name in IndexedMeasure] == list(IndexedMeasure)
    of_the_paper = {str(name) for name in IndexedMeasure} - {"abstracted"}
    assert of_the_paper < {str(name) for name in Measure}
    with pytest.raises(UsageError, match="tree-edit only compares two positions"):
        indexed("tree-edit")
    with pytest.raises(UsageError, match="did you mean 'sequences'"):
        indexed("sequense")


def test_a_root_goes_with_the_reference_root() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    for reference, root in (("root", None), ("parent", fen)):
        with pytest.raises(UsageError, match="goes with a root"):
            structural.of_positions(fen, fen, reference=reference, root=root)


def test_depths_out_of_range_are_refused() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    for depth in (0, 4, -1):
        with pytest.raises(UsageError, match="depth must be"):
            continuations.of_positions(fen, fen, depth=depth)
        for of_positions in (sequences.of_positions, tanimoto.of_positions, tree_edit.of_positions):
            with pytest.raises(UsageError, match="depth must be"):
                of_positions(fen, fen, depth=depth)
    with pytest.raises(UsageError, match="not 3: a chess tree of depth 3 has"):
        tree_edit.of_positions(fen, fen, depth=3)
    with pytest.raises(UsageError, match=r"1\.\.2 plies, not 3"):
        structural.of_positions(fen, fen, depth=3)
    assert checked_depth(MAX_BASE_DEPTH, MAX_BASE_DEPTH) == 2
