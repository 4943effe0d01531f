"""Endings of games, and marked moves held against an engine."""

from pathlib import Path

import pytest

from trapcore.engines.uci_engine import UciEngine
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.endings.measure import Marked, judged, marked, report
from workshop.coverage.endings.sample import Part, ending, endings, part_of
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


def test_an_ending_is_written_as_a_game_that_can_be_read() -> None:
    found = ending(game(ROOKS, "b3b4", "c5b4", "b1b4", "a2a5"))
    assert found is not None
    assert f'[FEN "{ROOKS}"]' in found.text.decode()
    assert '[White "A"]' in found.text.decode()


def test_endings_of_one_part_are_the_same_in_any_order_and_change_with_the_seed() -> None:
    king_moves = [("g2g3", "f7f6", "g3g4", "f6f7"), ("g2h2", "f7g7", "h2g2", "g7f7"), ("f2f4", "f7e7", "f4f5", "e7d7")]
    rook_moves = [("b1c1", "a2a3", "c1c3", "a3a8"), ("b1d1", "a2b2", "d1d3", "f7e7"), ("b1e1", "a2b2", "e1e3", "b2a2")]
    games = [game(ROOKS, *moves) for moves in king_moves + rook_moves]
    for part in Part:
        wanted = {one.moves for one in games if part_of(one) is part}
        found = endings(games, part, 100)
        assert {one.moves for one in found} == wanted
        assert [one.moves for one in endings(games[::-1], part, 100)] == [one.moves for one in found]
    chosen = {tuple(one.moves for one in endings(games, part_of(games[0]), 1, seed)) for seed in range(20)}
    assert len(chosen) > 1 or sum(part_of(one) is part_of(games[0]) for one in games) == 1


def test_a_report_counts_marked_moves_by_men_and_material() -> None:
    rook = Marked(ROOKS, "b1b2", 0.5)
    pawn = Marked("8/5k2/8/8/8/1P6/5PK1/8 w - - 0 1", "b3b4", 0.05)
    assert (rook.right, rook.men, rook.material) == (True, 7, "R P / R P")
    assert (pawn.right, pawn.men, pawn.material) == (False, 4, "P / –")
    text = markdown(report(3, [rook, pawn], Share.among([True, False]), 1000))
    assert "8/5k2/8/8/8/1P6/5PK1/8 w - - 0 1 | b3b4 | 0.05" in text.replace("  ", " ")
    assert "R P / R P" in text


def test_marked_moves_are_read_from_the_annotated_file(tmp_path: Path) -> None:
    found = ending(game(ROOKS, "b3b4", "c5b4", "b1b4", "a2a5"))
    assert found is not None

    def annotate(source: Path, output: Path) -> None:
        output.write_text(source.read_text().replace("b4 ", "b4 $4 ", 1))

    assert marked([found], annotate) == {(found.key, 0)}


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_an_engine_says_what_a_rook_left_hanging_costs() -> None:
    found = ending(game(ROOKS, "b1b2", "a2b2", "g2g3", "b2b3"))
    assert found is not None
    with UciEngine(str(STOCKFISH)) as engine:
        costs = judged([found], engine, 5_000, lambda text: None)
        assert judged([found], engine, 5_000, lambda text: None, {(found.key, 0)}).keys() == {(found.key, 0)}
    assert len(costs) == 4
    assert costs[found.key, 0].right
    assert not costs[found.key, 1].right
