"""Levels measured as Elo: ratings from matches, whether the order is kept, and when a game is decided."""

import chess
import pytest

from workshop.benchmarks.levels import DECIDED, DECIDED_MOVES, Match, game, match, ratings, report
from workshop.report import Table


def against_engine(level: int, rating: int, games: int, points: float) -> Match:
    return Match(level, f"Stockfish {rating}", rating, True, games, points)


def test_half_of_the_points_are_the_rating_of_the_engine_and_more_are_more() -> None:
    measured = ratings([against_engine(1400, 1500, 100, 50), against_engine(1600, 1500, 100, 76)])
    rating, error = measured[1400]
    assert rating == pytest.approx(1500, abs=1)
    assert 60 < error < 80
    assert measured[1600][0] == pytest.approx(1700, abs=12)


def test_matches_between_levels_count_and_a_lost_match_has_a_rating() -> None:
    alone = ratings([against_engine(1400, 1500, 40, 0), against_engine(1600, 1500, 40, 20)])
    assert 500 < alone[1400][0] < 1000
    level = Match(1400, "level 1600", 1600, False, 400, 200)
    both = ratings([against_engine(1400, 1500, 4, 0), against_engine(1600, 1500, 40, 20), level])
    assert both[1400][0] == pytest.approx(both[1600][0], abs=60)


@pytest.mark.parametrize(("points", "kept"), [((10, 20), "order kept"), ((20, 10), "order not kept")])
def test_the_report_says_whether_the_order_is_kept(points: tuple[int, int], kept: str) -> None:
    matches = [against_engine(level, 1500, 30, won) for level, won in zip((1400, 1600), points, strict=True)]
    found = report(matches, "Levels")
    assert found.title.endswith(kept)
    table = found.blocks[1]
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["1400", "1600"]


class Sure:
    """Plays the first legal move and is sure of the value."""

    def __init__(self, value: int | None) -> None:
        self.value, self.moves = value, 0

    def move(self, board: chess.Board) -> tuple[chess.Move, int | None]:
        self.moves += 1
        return next(iter(board.legal_moves)), self.value


def test_a_game_ends_when_one_player_has_seen_it_decided_for_some_moves() -> None:
    winner, other = Sure(DECIDED), Sure(None)
    assert game(winner, other) == 1
    assert winner.moves == DECIDED_MOVES
    assert game(other, Sure(-DECIDED)) == 1
    assert match(Sure(DECIDED), Sure(None), 4) == 4
    assert match(Sure(-DECIDED), Sure(None), 3) == 0
