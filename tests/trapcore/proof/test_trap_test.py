"""The trap test, its profile and its explanation, on the four traps of the founding paper and on bad input."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait, find_baits
from trapcore.proof.verdict import Verdict
from trapcore.proof.wording import explained, sentence

LEGAL = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
ELEPHANT = "r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6"
PAPER = [
    ("rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5", "g5d8", 1),
    ("r2qkb1r/pp2pppp/nnp1P3/4N2b/2P5/7P/PP1N1PP1/R1BQKB1R b KQkq - 2 10", "h5d1", 1),
    ("r1b1k2r/ppppqppp/2n5/4n3/1bP2B2/P4N2/1P1NPPPP/R2QKB1R w KQkq - 0 8", "a3b4", 1),
    (LEGAL, "g4d1", 2),
]
BUDGET = Budget(nodes=20_000)


@pytest.mark.parametrize(("fen", "bait", "mate"), PAPER)
def test_the_papers_traps_are_traps(fen: str, bait: str, mate: int) -> None:
    test = check_bait(fen, bait, (), BUDGET)
    assert (test.verdict, test.mate_in, test.is_trap) == (Verdict.PROVED, mate, True)
    board = chess.Board(fen)
    for move in (bait, *test.killer_line):
        board.push(board.parse_uci(move))
    assert board.is_checkmate()
    assert bait in [found.bait for found in find_baits(fen, BUDGET) if found.is_trap]


def test_a_gain_is_proved_with_its_figures_and_a_sound_move_is_refuted() -> None:
    test = check_bait(ELEPHANT, "c3d5", ["f6d5"], Budget(nodes=60_000))
    assert test.is_trap
    assert test.mate_in is None
    assert test.killer_line[0] == "f6d5"
    assert test.loss >= 0.3
    assert all(value.best - value.bait > 100 for value in test.depths[-3:])
    assert check_bait(ELEPHANT, "e2e3", (), Budget(nodes=60_000)).verdict is Verdict.REFUTED


def test_it_is_explained_in_words_that_the_proof_carries() -> None:
    (test,) = [t for t in find_baits(LEGAL, BUDGET) if t.bait == "g4d1"]
    assert sentence(LEGAL, test) == "Bxd1? loses (mate in 2): 6. Bxf7+ Ke7 7. Nd5#"
    text = explained(LEGAL, [test])
    assert "Black to move." in text
    assert "White has to find Bxf7+." in text
    assert text.count("█") > 30
    sound = check_bait(LEGAL, "c6e5", (), BUDGET)
    assert sentence(LEGAL, sound).startswith("Nxe5 is no bait")
    assert "No move that tempts" in explained(chess.STARTING_FEN, [])


def test_the_best_move_is_named_also_when_it_was_asked_about() -> None:
    bait, best = (check_bait(LEGAL, move, (), BUDGET) for move in ("g4d1", "c6e5"))
    assert "Black had better: Nxe5." in explained(LEGAL, [bait])
    assert best.loss < 0
    assert best.best is not None
    assert "Nxe5 is the best move; the next is " in explained(LEGAL, [best])
    assert sentence(LEGAL, best) == "Nxe5 is no bait: it costs nothing"
    worse = check_bait(chess.STARTING_FEN, "f2f3", (), BUDGET)
    assert worse.verdict is Verdict.REFUTED
    assert worse.loss > 0
    assert worse.best is not None
    board = chess.Board()
    assert f"The best move is {board.san(board.parse_uci(worse.best))}." in explained(board.fen(), [worse])
    assert "The best move is e4." in explained(board.fen(), [], "e2e4")
    # Nothing was searched that could tell.
    assert "best" not in explained(board.fen(), [check_bait(board.fen(), "f2f3", (), Budget(nodes=1))])


@pytest.mark.parametrize(
    ("fen", "bait", "says"),
    [
        (
            "6Qk/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K b - - 0 28",
            "h8g8",
            "Kxg8 is the only legal move, so no bait: mate in 1 without a choice: 29. Rd8#",
        ),
        ("k7/8/8/8/8/7q/8/7K w - - 0 1", "h1g1", "Kg1 is the only legal move, so no bait: lost without a choice: "),
        (
            "7k/6Qp/8/8/8/8/8/K7 b - - 0 1",
            "h8g7",
            "Kxg7 is the only legal move, so no bait: loses nothing that was seen",
        ),
    ],
    ids=["mate", "win", "neither"],
)
def test_the_only_legal_move_loses_without_a_choice(fen: str, bait: str, says: str) -> None:
    test = check_bait(fen, bait, (), BUDGET)
    assert test.forced
    assert not test.is_trap
    assert test.best is None
    assert test.loss == 0
    assert sentence(fen, test).startswith(says)
    assert says in explained(fen, [test])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_any_position_gets_an_answer_that_can_be_played(data: st.DataObject) -> None:
    board = chess.Board()
    for _ in range(data.draw(st.integers(0, 60))):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[data.draw(st.integers(0, len(moves) - 1))])
    nodes = data.draw(st.integers(1, 2000))
    for test in find_baits(board.fen(), Budget(nodes=nodes)):
        played = board.copy()
        for move in (test.bait, *test.killer_line):
            played.push(played.parse_uci(move))
        assert test.verdict is not Verdict.PROVED or test.forced or test.loss >= 0.3
        assert not (test.is_trap and test.forced)
