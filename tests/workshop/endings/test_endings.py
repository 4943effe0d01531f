"""Endings of games, and marked moves held against an engine."""

from workshop.coverage.endings.measure import Marked, report
from workshop.coverage.endings.sample import ending
from workshop.coverage.games import Game
from workshop.coverage.shares import Share
from workshop.report import markdown

ROOKS = "8/5k2/8/2p5/8/1P6/r4PK1/1R6 w - - 0 40"


def game(start: str, *moves: str) -> Game:
    return Game("games.pgn", 1, {"White": "A", "Black": "B"}, start, moves)


def test_an_ending_begins_with_the_first_position_of_seven_men() -> None:
    rest = ("b3b4", "c5b4", "b1b4", "a2a5")
    whole = ending(game(ROOKS, *rest))
    assert whole is not None
    assert (whole.start, whole.moves) == (ROOKS, rest)
    shorter = ending(game(ROOKS, *rest), men=6)
    assert shorter is None, "two plies are left"


def test_a_report_counts_marked_moves_by_men_and_material() -> None:
    rook = Marked(ROOKS, "b1b2", 0.5)
    pawn = Marked("8/5k2/8/8/8/1P6/5PK1/8 w - - 0 1", "b3b4", 0.05)
    assert (rook.right, rook.men, rook.material) == (True, 7, "R P / R P")
    assert (pawn.right, pawn.men, pawn.material) == (False, 4, "P / –")
    text = markdown(report(3, [rook, pawn], Share.among([True, False]), 1000))
    assert "8/5k2/8/8/8/1P6/5PK1/8 w - - 0 1 | b3b4 | 0.05" in text.replace("  ", " ")
    assert "R P / R P" in text
