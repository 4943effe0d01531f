"""The figures of an evaluation on toy data, its sample, its orders and its neighbours."""

import csv
import random
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import chess
import numpy as np
import pytest
import zstandard

from db.formats.puzzles import puzzle_trap
from tests.support.public_data import PUZZLES, needs, skip_without
from trapcore import _native
from trapcore.errors import InputError
from workshop.coverage.calibration import brier, reliability
from workshop.evaluation import neighbours
from workshop.evaluation.metrics import (
    Placed,
    calibration_error,
    falling,
    place,
    precision_at,
    rate_at_recall,
)
from workshop.evaluation.neighbours import Turned
from workshop.evaluation.sample import Puzzle, Sample, game_of, place_of, read_sample
from workshop.native import _core

needs_puzzles = needs(PUZZLES)


@pytest.fixture(scope="module")
def sample() -> Sample:
    """A small library, and queries of other games."""
    skip_without(PUZZLES)
    return read_sample(PUZZLES, 60, 20)


# Figures


def test_places_are_those_of_all_orders_of_tied_moves() -> None:
    scores = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 0.0}
    found = place(scores, "c")
    assert found == Placed(before=1, tied=3)
    # Every way to settle the ties, counted.
    draw = random.Random(1)
    ranks = [1 + sorted(scores, key=lambda m: (-scores[m], draw.random())).index("c") for _ in range(20_000)]
    for most in range(1, 6):
        assert found.hit(most) == pytest.approx(fmean(rank <= most for rank in ranks), abs=0.02)
    assert found.rank == pytest.approx(fmean(ranks), abs=0.05)
    assert place(falling(["x", "y", "z"]), "y") == Placed(1, 1)


def test_reliability_and_briers_score() -> None:
    said, true, weights = [0.1, 0.3, 0.9, 1.0], [False, True, True, True], [1.0, 1.0, 2.0, 1.0]
    bins = reliability(said, true, weights, (0.0, 0.2, 0.5, 1.0))
    assert [(b.low, b.high, b.count, b.weight) for b in bins] == [(0, 0.2, 1, 1), (0.2, 0.5, 1, 1), (0.5, 1, 2, 3)]
    assert bins[2].predicted == pytest.approx((2 * 0.9 + 1.0) / 3)
    assert [b.true for b in bins] == [0, 1, 1]
    assert calibration_error(bins) == pytest.approx((0.1 + 0.7 + 3 * (1 - 2.8 / 3)) / 5)
    assert brier(said, true, weights) == pytest.approx((0.01 + 0.49 + 2 * 0.01) / 5)


@pytest.mark.parametrize("recall", [0.25, 0.5, 0.8, 1.0])
def test_false_alarms_at_a_recall(recall: float) -> None:
    draw = random.Random(3)
    wanted, others = [draw.gauss(1, 1) for _ in range(40)], [draw.gauss(0, 1) for _ in range(60)]
    flagged, least = rate_at_recall(wanted, others, recall)
    assert sum(score >= least for score in wanted) == round(recall * 40)
    assert flagged == sum(score >= least for score in others)
    # One in 100: of 10,000 positions, 100 have a trap.
    rate = flagged / 60
    assert precision_at(0.01, recall, rate) == pytest.approx(100 * recall / (100 * recall + 9_900 * rate))


# The sample


@needs_puzzles
def test_no_game_and_no_position_is_on_both_sides(sample: Sample) -> None:
    games = {puzzle.game for puzzle in sample.library}
    assert len(sample.library) == 60
    assert len(sample.queries) == 20
    assert not games & {puzzle.game for puzzle in sample.queries}
    assert not {p.trap.key for p in sample.library} & {p.trap.key for p in sample.queries}
    assert [q.mates for q in sample.queries] == [True, False] * 10
    places = [place_of(p.game) for p in sample.library]
    assert places == sorted(places)
    assert {p[-1] & 1 for p in places} == {1}


def _table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    """The first rows of the open puzzles."""
    skip_without(PUZZLES)
    with PUZZLES.open("rb") as file:
        text = zstandard.ZstdDecompressor().stream_reader(file).read(60_000).decode().splitlines()[:-1]
    return list(csv.DictReader(text))


def test_a_game_stays_together_whatever_it_is_called(rows: list[dict[str, str]], tmp_path: Path) -> None:
    assert game_of("https://lichess.org/yyznGmXs/black#34", "x") == "yyznGmXs"
    assert game_of("https://lichess.org/yyznGmXs#35", "x") == "yyznGmXs"
    assert game_of("", "00008") == game_of(None, "00008") == "00008"
    # All puzzles of one game: one side stays empty.
    same = [{**row, "GameUrl": f"https://lichess.org/yyznGmXs#{n}"} for n, row in enumerate(rows)]
    with pytest.raises(InputError, match="too few puzzles for the"):
        read_sample(_table(tmp_path / "same.csv", same), 10, 10)


# Orders


def _puzzle(fen: str, moves: str) -> Puzzle:
    trap = puzzle_trap({"PuzzleId": "0", "FEN": fen, "Moves": moves, "Themes": ""})
    return Puzzle("0", "0", None, frozenset(), trap)


#: After ...Kh8 White can mate on e8, take a rook with the queen, a pawn with the rook, or do anything else.
BACK_RANK = _puzzle("6k1/p4ppp/8/8/r7/2Q5/P4PPP/4R1K1 b - - 0 1", "g8h8 e1e8")


# Neighbours


@needs_puzzles
@pytest.mark.parametrize(
    ("by", "value"),
    [
        (neighbours.by_board, _native.board_similarity),
        (neighbours.by_continuations, lambda a, b: _native.continuations(a, b, 1, "san", False)),
        (neighbours.by_sequences, lambda a, b: _native.sequences(a, b, 2, "san", True, False)),
    ],
    ids=["board", "continuations", "sequences"],
)
def test_neighbours_are_the_best_by_the_measure_itself(
    sample: Sample, by: Callable[..., neighbours.Neighbours], value: Callable[[str, str], float]
) -> None:
    library, asked = [Turned.of(p) for p in sample.library], [Turned.of(p) for p in sample.queries[:5]]
    for query, found in zip(asked, by(library, asked), strict=True):
        values = [value(query.after, known.after) for known in library]
        assert [s for _, s in found] == pytest.approx(sorted(values, reverse=True)[: neighbours.VOTES], abs=1e-6)
        assert all(values[at] == pytest.approx(s, abs=1e-6) for at, s in found)


@needs_puzzles
def test_turned_positions_have_white_as_the_attacker_and_the_same_moves(sample: Sample) -> None:
    for puzzle in sample.queries:
        turned = Turned.of(puzzle)
        board = chess.Board(turned.after)
        assert board.turn == chess.WHITE
        assert {neighbours.name(board, move) for move in board.legal_moves} == set(turned.names)
        assert turned.names[turned.killer] == puzzle.killer
        assert len(np.unique(list(turned.names.values()))) == len(puzzle.moves)


# The plain prover and the plain search


def test_a_plain_proof_counts_moves_whatever_fails_first() -> None:
    fen = BACK_RANK.board.fen()
    rest = [m for m in BACK_RANK.moves if m not in BACK_RANK.mating]
    assert _core.moves_until_proof(fen, ["e1e8", *rest], 1, 1000) == 1
    assert _core.moves_until_proof(fen, [*rest, "e1e8"], 1, 1000) == len(rest) + 1
    assert _core.moves_until_proof(fen, rest, 1, 1000) is None
    with pytest.raises(ValueError, match="mate must be"):
        _core.moves_until_proof(fen, ["e1e8"], 0, 10)


def test_three_plies_agree_with_a_slow_search_of_mates() -> None:
    found = {move: worst for move, worst, _ in _core.three_plies(BACK_RANK.board.fen())[0]}
    mates_in_two = set()
    for move in list(BACK_RANK.board.legal_moves):
        board = BACK_RANK.board.copy()
        board.push(move)
        if board.is_checkmate():
            continue
        answers = list(board.legal_moves)
        lost = bool(answers)
        for answer in answers:
            board.push(answer)
            lost = lost and any(_mates(board, last) for last in list(board.legal_moves))
            board.pop()
        if lost:
            mates_in_two.add(move.uci())
    top = max(found.values())
    assert {m for m, worst in found.items() if worst == top} == BACK_RANK.mating
    assert {m for m, worst in found.items() if top > worst > 15_000} == mates_in_two


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate
