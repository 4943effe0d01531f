"""Accuracy of both sides of a game: values computed by hand, and those that lichess states itself."""

import json
import math

import pytest

from db.games.accuracy import accuracy_of, move_accuracy
from tests.support.public_data import DATA, missing
from trapcore.win_chance import win_chance

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
