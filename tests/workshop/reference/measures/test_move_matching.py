"""Move matching: the paper's traps, what must hold for any trees, and the Rust core against the definition."""

from itertools import combinations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from tests.support.chess_positions import ENDGAMES, FIGURE_2, played
from tests.workshop.reference.measures.test_paper_measures import LABELS
from trapcore.errors import PositionError, UsageError
from trapcore.measures.move_matching import MovePair, Reply, pairing
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree
from workshop.reference.measures import move_matching as matching
from workshop.reference.measures.options import Reference

REPLIES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), LABELS), max_size=6).map(sorted)


def killer(name: str) -> str:
    """The killer of one of the paper's traps as it is printed, in SAN."""
    fen, bait, answer, _ = FIGURE_2[name]
    position = chess.Board(fen)
    position.push_uci(bait)
    return position.san(chess.Move.from_uci(answer))


@pytest.mark.parametrize(("one", "two"), list(combinations(FIGURE_2, 2)))
def test_the_killers_of_the_papers_traps_are_matched(one: str, two: str) -> None:
    """First sample of Table 3: the most frequent pair of any two traps is that of their killers."""
    fens = FIGURE_2[one][0], FIGURE_2[two][0]
    best = matching.of_positions(*fens, top=1)[0]
    names = [killer(name).rstrip("+#").replace("x", "") for name in (one, two)]
    assert [best.first, best.second] == names


def test_two_trees_by_hand() -> None:
    # After a: c shares nothing with {c, d}, d one of two moves; after x: e shares its one move.
    one = Tree.literal({"a": {"c": {}, "d": {"c": {}}}})
    two = Tree.literal({"x": {"e": {"e": {}}}, "y": {"d": {}}})
    assert matching.of_trees(one, two) == [
        MovePair("c", "d", 1, 1, 0.0, (("a", "y"),)),
        MovePair("d", "e", 1, 1, 0.5, (("a", "x"),)),
    ]
    assert matching.of_trees(two, Tree()) == []
    # Compared with the root {a}, or {x, y}, no reply shares anything: what remains are equal names, then their order.
    assert [(p.first, p.second, p.count) for p in matching.of_trees(one, two, Reference.ROOT)] == [
        ("c", "e", 1), ("d", "d", 1),
    ]  # fmt: skip


@given(p=REPLIES, q=REPLIES)
def test_a_pairing_is_cheapest(p: list[Reply], q: list[Reply]) -> None:
    pairs = list(pairing(p, q))
    assert len(pairs) == min(len(p), len(q))
    for side, members in ((0, p), (1, q)):
        rest = list(members)
        for pair in pairs:
            rest.remove(pair[side])
    if p and q:
        distances = np.abs(np.subtract.outer([s for s, _ in p], [s for s, _ in q]))
        rows, columns = linear_sum_assignment(distances)
        assert sum(abs(x - y) for (x, _), (y, _) in pairs) == pytest.approx(float(distances[rows, columns].sum()))


@pytest.mark.slow
@given(
    fens=st.tuples(played(ENDGAMES, plies=6), played(ENDGAMES, plies=6)),
    labels=st.sampled_from(Labels),
    captures=st.booleans(),
    reference=st.sampled_from(Reference),
)
@settings(deadline=None, max_examples=15)
def test_the_core(fens: tuple[str, str], labels: Labels, captures: bool, reference: Reference) -> None:
    trees = [chess_tree(fen, 3, labels, captures=captures) for fen in fens]
    defined = matching.of_trees(trees[0], trees[1], reference)
    fast = matching.of_positions(*fens, top=10**9, labels=labels, captures=captures, reference=reference)
    assert [(p.first, p.second, p.count, p.chances, p.after) for p in fast] == [
        (p.first, p.second, p.count, p.chances, p.after) for p in defined
    ]
    assert [p.distance for p in fast] == pytest.approx([p.distance for p in defined], abs=1e-12)
    if defined:
        move = defined[-1].first
        only = matching.of_positions(*fens, top=10**9, move=move, labels=labels, captures=captures, reference=reference)
        assert only == [pair for pair in fast if pair.first == move]


def test_refusals() -> None:
    fen = FIGURE_2["Légal"][0]
    with pytest.raises(UsageError, match="did you mean 'Bf7'"):
        matching.of_positions(fen, fen, move="Bff7")
    with pytest.raises(UsageError, match="top must be at least 1"):
        matching.of_positions(fen, fen, top=0)
    with pytest.raises(UsageError, match="did you mean 'root'"):
        matching.of_positions(fen, fen, reference="rout")
    with pytest.raises(PositionError):
        matching.of_positions(fen, "nonsense")
