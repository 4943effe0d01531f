"""Accuracy of both sides of a game: values computed by hand, and those that lichess states itself."""

import json
import math
from statistics import pstdev

import pytest

from db.games.accuracy import accuracy_of, move_accuracy
from tests.support.public_data import DATA, missing
from trapcore.proof.search import win_chance

GAME = DATA / "lichess-api" / "ndjson" / "game-export-gameId.ndjson"


@pytest.mark.parametrize(
    ("loss", "accuracy"),
    # 103.1668 * exp(-0.043544 * 10) is 66.75, less 3.17, and the point that lichess adds. A hundred points leave -0.8.
    [(0.0, 100.0), (0.01, 100.0), (10.0, 64.58), (50.0, 9.53), (100.0, 0.0)],
)
def test_accuracy_of_a_move_falls_with_what_it_loses(loss: float, accuracy: float) -> None:
    assert move_accuracy(loss) == pytest.approx(accuracy, abs=0.005)


def test_short_game_has_the_figures_of_a_calculation_by_hand() -> None:
    found = accuracy_of([0.0, 0.0, 0.1, 0.1, 0.1])  # 50, 50, 55, 55, 55 %
    assert found is not None
    assert (found.white.accuracy, found.white.losses) == (100.0, (0.0, 0.0))
    # Black loses 5 points and then none. Windows are of two positions: deviations of 2.5, and of 0, which counts .5.
    first = 103.1668100711649 * math.exp(-0.04354415386753951 * 5) - 3.166924740191411 + 1
    weighted = (first * 2.5 + 100 * 0.5) / 3
    harmonic = 2 / (1 / first + 1 / 100)
    assert found.black.accuracy == pytest.approx((weighted + harmonic) / 2)
    assert found.black.losses == pytest.approx((5.0, 0.0))
    assert found.black.loss == pytest.approx(2.5)


def test_window_grows_with_the_game_and_is_the_first_one_at_its_beginning() -> None:
    percents = [50.0, 50, 50, 42, *[50.0] * 38]  # 41 moves: windows of 4 positions
    found = accuracy_of([percent / 50 - 1 for percent in percents])
    assert found is not None
    # White's second move loses 8 points. His moves 1 to 3 have windows with it: the first, the first, that from 50, 42.
    weights = [pstdev(percents[:4]), pstdev(percents[:4]), pstdev(percents[2:6]), *[0.5] * 18]
    bad = move_accuracy(8.0)
    weighted = sum(weight * (bad if at == 1 else 100) for at, weight in enumerate(weights)) / sum(weights)
    harmonic = 21 / (20 / 100 + 1 / bad)
    assert found.white.accuracy == pytest.approx((weighted + harmonic) / 2)
    # Black did not give back what he was given; the position after his move is as good as before White's.
    assert found.black.loss == pytest.approx(8 / 20)


def test_sides_change_places_if_black_begins() -> None:
    chances = [0.0, 0.2, 0.3, 0.1, -0.5, -0.2]
    one, other = accuracy_of(chances), accuracy_of([-chance for chance in chances], black_begins=True)
    assert one is not None
    assert other is not None
    assert one.white != one.black
    assert (one.white, one.black) == (other.black, other.white)


def test_win_percents_beyond_ten_pawns_count_as_ten_pawns_in_the_accuracy_alone() -> None:
    ten = win_chance(1000)
    mated, capped = accuracy_of([1.0, 1.0, 1.0, ten, ten]), accuracy_of([ten] * 5)
    assert mated is not None
    assert capped is not None
    assert mated.white.accuracy == capped.white.accuracy == 100.0
    assert mated.white.loss == pytest.approx(50 * (1 - ten) / 2)


@pytest.mark.parametrize("chances", [[], [0.0], [0.0] * 4, [0.0, 0.1, None, 0.1, 0.1]])
def test_game_without_enough_moves_or_values_has_no_figures(chances: list[float | None]) -> None:
    assert accuracy_of(chances) is None


@pytest.mark.skipif(not GAME.is_file(), reason=missing(GAME))
def test_accuracy_is_that_of_lichess_on_a_game_that_lichess_analysed() -> None:
    game = json.loads(GAME.read_text("utf-8"))
    # Lichess takes 15 centipawns for the beginning.
    found = accuracy_of([win_chance(said) for said in (15, *(move["eval"] for move in game["analysis"]))])
    assert found is not None
    stated = [game["players"][side]["analysis"]["accuracy"] for side in ("white", "black")]
    assert [round(found.white.accuracy), round(found.black.accuracy)] == stated
