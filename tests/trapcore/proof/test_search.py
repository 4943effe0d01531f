"""The search with the game behind it: earlier positions are draws when they come back."""

import chess
import pytest

from trapcore.errors import PositionError
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search

#: White is a rook up.
ROOK_UP = "7k/8/8/8/8/8/R7/K7 w - - 0 1"


def test_moves_lead_to_the_position_that_is_searched() -> None:
    board = chess.Board()
    moves = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"]
    for uci in moves:
        board.push_uci(uci)
    budget = Budget(nodes=50_000)
    found = search(chess.STARTING_FEN, budget, moves=moves)
    assert (found.line[0], found.mate_in) == ("h5f7", 1)
    assert found == search(board.fen(), budget)


def test_a_position_of_the_game_that_comes_back_is_a_draw() -> None:
    there_and_back = ["a2a3", "h8g8", "a3a2"]
    board = chess.Board(ROOK_UP)
    for uci in there_and_back:
        board.push_uci(uci)
    budget = Budget(depth=5)
    saved = search(ROOK_UP, budget, moves=there_and_back)
    assert (saved.value, saved.line) == (0, ("g8h8",))
    assert search(board.fen(), budget).value < -400


@pytest.mark.parametrize("moves", [["e2e4", "e2e5"], ["e7e5"], ["x"]])
def test_a_move_that_is_not_legal_is_an_error(moves: list[str]) -> None:
    with pytest.raises(PositionError):
        search(chess.STARTING_FEN, Budget(depth=1), moves=moves)
