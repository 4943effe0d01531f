"""Proposals put to the proof: a mate first, else what is clearly best, and the order otherwise as it was."""

import chess
import pytest

from trapcore.errors import PositionError
from trapcore.proof.mate import prove_mate, replay
from trapcore.proof.search import search
from trapcore.ranking.verification import CLEAR, Finding, verify_moves
from trapcore.ranking.weights import RankedMove

LEGAL_AFTER = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"
#: A knight takes the queen, and nothing else saves the game.
FORK = "4k3/8/8/3q4/8/4N3/8/4K3 w - - 0 1"
EVEN = chess.STARTING_FEN
MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"


def proposals(fen: str, *last: str) -> list[RankedMove]:
    """All legal moves by their names, those named at the end."""
    moves = sorted((move.uci() for move in chess.Board(fen).legal_moves), key=lambda uci: (uci in last, uci))
    return [RankedMove(uci, -float(place), 0.5 / 2**place, (place,)) for place, uci in enumerate(moves)]


def test_a_proved_mate_comes_first_wherever_it_was_proposed() -> None:
    proposed = proposals(LEGAL_AFTER, "c4f7")
    moves, nodes = verify_moves(LEGAL_AFTER, proposed)
    mate, *rest = moves
    assert (mate.uci, mate.rank, mate.verdict, mate.mate_in) == ("c4f7", len(proposed), Finding.PROVED, 2)
    assert mate.confidence == 1.0
    assert mate.line == ("c4f7", "e8e7", "c3d5")
    assert (mate.score, mate.tokens) == (proposed[-1].score, proposed[-1].tokens)
    assert [move.uci for move in rest] == [move.uci for move in proposed[:-1]]
    assert {(move.verdict, move.mate_in, move.line) for move in rest} == {(Finding.UNDECIDED, None, ())}
    assert [move.confidence for move in rest] == [move.confidence for move in proposed[:-1]]
    assert 0 < nodes <= 10_000


def test_what_is_clearly_best_comes_first_and_is_no_proof() -> None:
    proposed = proposals(FORK, "e3d5")
    moves, nodes = verify_moves(FORK, proposed)
    best = moves[0]
    assert (best.uci, best.rank, best.verdict, best.mate_in) == ("e3d5", len(proposed), Finding.BEST, None)
    assert best.confidence == proposed[-1].confidence
    assert best.line[0] == "e3d5"
    assert best.lead is not None
    assert best.lead >= CLEAR
    assert best.win_chance is not None
    assert [move.uci for move in moves[1:]] == [move.uci for move in proposed[:-1]]
    assert 0 < nodes <= 31_000


def test_without_a_clear_best_the_one_that_the_search_prefers_comes_first() -> None:
    proposed = proposals(EVEN)
    moves, nodes = verify_moves(EVEN, proposed)
    first = moves[0]
    assert [move.uci for move in moves[1:]] == [move.uci for move in proposed if move.uci != first.uci]
    assert proposed[first.rank - 1].uci == first.uci != proposed[0].uci
    assert (first.win_chance, first.lead, first.line) == (None, None, ())
    assert {move.verdict for move in moves} == {Finding.UNDECIDED}
    assert nodes > 0


def test_the_moves_to_try_first_change_the_cost_and_not_the_proof() -> None:
    plain = prove_mate(LEGAL_AFTER, 3)
    helped = prove_mate(LEGAL_AFTER, 3, first=["c4f7"])
    hindered = prove_mate(LEGAL_AFTER, 3, first=["a2a3", "b2b3", "h2h4"])
    assert helped.nodes < hindered.nodes
    assert {proof.mate_in for proof in (plain, helped, hindered)} == {2}
    for proof in (plain, helped, hindered):
        assert replay(proof, LEGAL_AFTER).is_checkmate()
    with pytest.raises(PositionError):
        prove_mate(LEGAL_AFTER, 3, first=["e2e4"])


def test_a_search_looks_at_the_moves_that_it_is_given() -> None:
    from trapcore.parallel.budget import Budget

    deep = Budget(depth=4)
    assert search(FORK, deep).line[0] == "e3d5"
    others = search(FORK, deep, only=["e1e2", "e1f1"])
    assert others.line[0] in ("e1e2", "e1f1")
    assert others.value < search(FORK, deep).value
    assert search(FORK, deep, first=["e1f1"]).value == search(FORK, deep).value
    with pytest.raises(PositionError):
        search(FORK, deep, only=["e1e4"])
