"""Learned weights: the fit, the orders that it gives, the bytes that keep it, and the proposals."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped]

from tests.support.chess_positions import FIGURE_2, board
from tests.support.public_data import PUZZLES, needs
from trapcore.errors import InputError, PositionError
from trapcore.ranking import training as fitting
from trapcore.ranking.training import Example, background_examples, fit
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights
from workshop.benchmarks.material import puzzle_rows

LEGAL = FIGURE_2["Légal"]
TRAPS: list[Example] = [(fen, bait, killer) for fen, bait, killer, _ in FIGURE_2.values()]
needs_puzzles = needs(PUZZLES)


@pytest.fixture(scope="module")
def weights() -> Weights:
    """Learned from the paper's traps and some ordinary moves."""
    return fit(TRAPS, background_examples()[:40])


@pytest.fixture(scope="module")
def mates() -> list[Example]:
    """Real puzzles that end in mate."""
    found: list[Example] = []
    for row in puzzle_rows():
        if "mate" in row["Themes"].split():
            bait, killer, *_ = row["Moves"].split()
            found.append((row["FEN"], bait, killer))
        if len(found) == 160:
            break
    return found


def after_bait(example: Example) -> chess.Board:
    """The position in which the killer is to be found."""
    there = board(example[0])
    there.push_uci(example[1])
    return there


@needs_puzzles
def test_what_is_learned_orders_other_traps_better_than_checks_and_captures(mates: list[Example]) -> None:
    known, new = mates[:100], mates[100:]
    assert not {fen for fen, *_ in known} & {fen for fen, *_ in new}
    learned = fit(known)

    def loudest_first(there: chess.Board) -> list[str]:
        def loudness(move: chess.Move) -> tuple[bool, int, int, str]:
            taken = there.piece_type_at(move.to_square) or chess.PAWN if there.is_capture(move) else 0
            return not there.gives_check(move), -taken, there.piece_type_at(move.from_square) or 0, move.uci()

        return [there.uci(move) for move in sorted(there.legal_moves, key=loudness)]

    ours, loud = [], []
    for example in new:
        fen, bait, killer = example
        order = [move.uci for move in learned.rank_moves(fen, bait, top=300)]
        there = after_bait(example)
        assert sorted(order) == sorted(there.uci(move) for move in there.legal_moves)
        ours.append(order.index(str(killer)) + 1)
        loud.append(loudest_first(there).index(str(killer)) + 1)
    assert ours.count(1) > loud.count(1)
    assert sum(ours) < sum(loud)
    # Far from chance, which finds one in thirty: what is learned is no accident.
    assert ours.count(1) >= 0.8 * len(new)


@needs_puzzles
@pytest.mark.parametrize("with_nothing", [True, False])
def test_the_slope_of_the_loss(mates: list[Example], with_nothing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slope that the optimiser is told is the one that finite differences find, in every direction tried."""
    asked: list[Callable[[Any], tuple[float, Any]]] = []

    def listening(loss: Callable[[Any], tuple[float, Any]], *arguments: Any, **options: Any) -> Any:
        asked.append(loss)
        found = minimize(loss, *arguments, **options)
        points.append(found.x)
        return found

    points: list[Any] = []
    monkeypatch.setattr(fitting, "minimize", listening)
    fit(mates[:30], background_examples()[:20] if with_nothing else [])
    assert len(asked) == 2
    draw = np.random.default_rng(7)
    for loss, found in zip(asked, points, strict=True):
        start = np.zeros_like(found)
        assert loss(found)[0] < loss(start)[0]
        for point in (start, found):
            slope = loss(point)[1]
            for _ in range(4):
                step = draw.choice([-1.0, 1.0], len(point)) * 2**-8
                difference = loss(point + step)[0] - loss(point - step)[0]
                assert difference / 2 == pytest.approx(float(slope @ step), rel=0.02, abs=2e-4)


def test_the_score_of_no_killer_is_learned_from_ordinary_moves_alone(weights: Weights) -> None:
    assert fit(TRAPS).null_score == 0
    assert weights.null_score != 0
    assert (weights.traps, weights.background) == (4, 40)

    def trust(of: Weights, examples: list[Example]) -> float:
        return sum(m.confidence for fen, bait, _ in examples for m in of.rank_moves(fen, bait)) / len(examples)

    assert trust(weights, TRAPS) > 0.5 > trust(weights, background_examples()[:40])


def test_confidences_are_probabilities(weights: Weights) -> None:
    for fen, bait, _ in [*TRAPS, *background_examples()[40:60]]:
        moves = weights.rank_moves(fen, bait, top=300, shortlist=5)
        assert all(0 <= move.confidence <= 1 for move in moves)
        assert sum(move.confidence for move in moves) <= 1 + 1e-9
        short, rest = moves[:5], moves[5:]
        assert [m.confidence for m in short] == sorted((m.confidence for m in short), reverse=True)
        assert all(m.tokens for m in short)
        assert {(m.confidence, m.tokens) for m in rest} <= {(0.0, ())}


def test_proposals_with_the_position_before_and_after_the_bait(weights: Weights) -> None:
    fen, bait, killer, _ = LEGAL
    before = weights.rank_moves(fen, bait)
    assert before[0].uci == killer
    assert len(before) == 5
    there = after_bait((fen, bait, None))
    after = weights.rank_moves(there.fen(), bait, top=300)
    alone = weights.rank_moves(there.fen(), top=300)
    ucis = {there.uci(move) for move in there.legal_moves}
    assert {move.uci for move in after} == {move.uci for move in alone} == ucis
    for illegal in ("g4h1", "h8h1", "none"):
        with pytest.raises(PositionError, match="not a legal move"):
            weights.rank_moves(fen, illegal)
    with pytest.raises(PositionError):
        weights.rank_moves("no position")


def test_damaged_bytes_and_those_of_another_version(weights: Weights) -> None:
    data = weights.to_bytes()
    line, _, arrays = zlib.decompress(data).partition(b"\n")
    header = json.loads(line)

    def other(**changed: object) -> bytes:
        return zlib.compress(json.dumps({**header, **changed}).encode() + b"\n" + arrays)

    assert Weights.from_bytes(other(), "here") == weights
    sizes = header["sizes"]
    for damaged in (
        b"",
        b"weights",
        data[:-5],
        data[:40] + bytes([data[40] ^ 1]) + data[41:],
        zlib.compress(b"not json\n"),
        zlib.compress(b"[]\n"),
        zlib.compress(line + b"\n" + arrays[:-4]),
        other(sizes=sizes[:4]),
        other(sizes=[1, 1, *sizes[2:4], sizes[4] + sizes[0] - 1, sizes[5] + sizes[1] - 1]),
        other(sizes=[-4, -4, *sizes[2:4], sizes[4] + sizes[0] + 4, sizes[5] + sizes[1] + 4]),
        other(nothing="much"),
        other(nothing=float("nan")),
        other(traps=float("inf")),
    ):
        with pytest.raises(InputError, match=r"the weights in here .* learn them again"):
            Weights.from_bytes(damaged, "here")
    with pytest.raises(InputError, match=f"version {VOCABULARY_VERSION + 1} of the vocabulary"):
        Weights.from_bytes(other(vocabulary=VOCABULARY_VERSION + 1), "here")


def test_the_ordinary_moves_that_come_with_trapline_are_legal_and_go_on() -> None:
    examples = background_examples()
    assert len(examples) > 1000
    assert len(set(examples)) == len(examples)
    assert all(any(after_bait(example).legal_moves) for example in examples)
