"""The sampled structural similarity: against the whole one, and the Rust core against the definition."""

from itertools import combinations, product
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import FIGURE_2, played
from tests.workshop.reference.measures.test_paper_measures import TREES
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree
from workshop.reference.measures import continuations, sampled, sequences, structural
from workshop.reference.measures.options import Base

BASES = {Base.CONTINUATIONS: continuations.of_trees, Base.SEQUENCES: sequences.of_trees}
TRAPS = [fen for fen, *_ in FIGURE_2.values()]
SEEDS = st.integers(0, 2**64 - 1)


@given(a=TREES, b=TREES, seed=SEEDS)
def test_all_children_make_it_exact(a: Tree, b: Tree, seed: int) -> None:
    most = max(len(a.children), len(b.children), 1)
    estimate = sampled.of_trees(a, b, most, seed)
    assert estimate.value == pytest.approx(structural.of_trees(a, b), abs=1e-12)
    assert estimate.standard_error == 0


def test_more_children_come_nearer_and_the_error_that_is_told_is_about_the_real_one() -> None:
    """On the paper's traps, on average over pairs and seeds."""
    errors: dict[int, list[float]] = {4: [], 12: [], 28: []}
    told: dict[int, list[float]] = {children: [] for children in errors}
    for one, two in combinations(TRAPS, 2):
        whole = structural.of_positions(one, two, base="sequences", depth=2, labels="san")
        for children, seed in product(errors, range(5)):
            estimate = sampled.of_positions(
                one, two, children=children, seed=seed, base="sequences", depth=2, labels="san"
            )
            errors[children].append(abs(estimate.value - whole))
            told[children].append(estimate.standard_error)
    assert mean(errors[4]) > mean(errors[12]) > mean(errors[28]) > 0
    for children in errors:
        assert 0.5 * mean(told[children]) < mean(errors[children]) < 2 * mean(told[children])


@pytest.mark.slow
@given(
    fens=st.tuples(played(), played()),
    base=st.sampled_from(Base),
    labels=st.sampled_from(Labels),
    captures=st.booleans(),
    children=st.integers(1, 40),
    seed=SEEDS,
)
@settings(deadline=None, max_examples=40)
def test_the_core(fens: tuple[str, str], base: Base, labels: Labels, captures: bool, children: int, seed: int) -> None:
    trees = [chess_tree(fen, 2, labels, captures=captures) for fen in fens]
    defined = sampled.of_trees(trees[0], trees[1], children, seed, BASES[base])
    fast = sampled.of_positions(*fens, children=children, seed=seed, base=base, labels=labels, captures=captures)
    assert fast.value == pytest.approx(defined.value, abs=1e-12)
    assert fast.standard_error == pytest.approx(defined.standard_error, abs=1e-9)
