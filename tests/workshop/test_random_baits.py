"""Proved baits of random positions, held against a reference engine."""

from pathlib import Path

import chess
import pytest

from trapcore.engines.uci_engine import UciEngine
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.labels import Reference
from workshop.experiments.random_baits import Proved, drawn, proved_baits, reference_loss, report
from workshop.report import markdown

LEGAL = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
GAMES = Path(__file__).parents[2] / "examples" / "games.pgn"


def test_positions_are_of_different_games_and_the_same_for_a_seed() -> None:
    first, again, other = (drawn([GAMES], 3, seed) for seed in (1, 1, 2))
    assert [board.fen() for board in first] == [board.fen() for board in again]
    assert [board.fen() for board in first] != [board.fen() for board in other]
    assert all(any(board.legal_moves) for board in first)


def test_what_the_reference_denies_is_listed_and_no_part_of_the_share() -> None:
    test = check_bait(LEGAL, "g4d1", (), Budget(nodes=20_000))
    assert test.is_trap
    text = markdown(
        report([Proved(LEGAL, test, 1.2), Proved(LEGAL, test, 0.25), Proved(LEGAL, test, 0.1)], 9, "engine")
    )
    assert "9 positions of games; the reference is engine." in text
    row = next(line for line in text.splitlines() if line.startswith("| all"))
    assert "(2 of 3;" in row
    assert "(1 of 3;" in row
    assert text.count(f"`{LEGAL}` g4d1") == 1
    assert "c4f7 e8e7" in text


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
def test_an_engine_agrees_that_the_queen_is_a_bait() -> None:
    assert STOCKFISH is not None
    reference = Reference(STOCKFISH, nodes=5_000, deep_nodes=20_000)
    with UciEngine(STOCKFISH) as engine:
        found = {one.test.bait: one for one in proved_baits(chess.Board(LEGAL), engine, reference)}
        assert found["g4d1"].loss > 0.5
        assert reference_loss(engine, reference, chess.Board(), "e2e4") < 0.1
