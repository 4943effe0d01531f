"""Self-play of the search: who wins is told rightly, and the rating follows from the score."""

import pytest

from workshop.benchmarks.strength import MoveBudget, Score, main, play

QUEEN_UP = "4k3/8/8/8/8/8/4PPPP/3QK3 w - - 0 1"


def test_whoever_is_far_ahead_wins_whatever_the_evaluation() -> None:
    budget = MoveBudget(None, 500)
    assert play(QUEEN_UP, "linear", "network", budget) == 1
    assert play("3qk3/4pppp/8/8/8/8/8/4K3 b - - 0 1", "network", "linear", budget) == -1
    assert play("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "network", "linear", budget) == 0


def test_rating_of_a_score() -> None:
    elo, low, high = Score(30, 0, 10).elo()
    assert elo == pytest.approx(190.8, abs=0.1)
    assert low < elo < high
    assert Score(5, 5, 5).elo()[0] == pytest.approx(0)
    assert Score(4, 0, 0).elo()[0] < 1300


def test_a_match_is_played_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "2", "--nodes", "100"]) == 0
    assert "network against linear: +" in capsys.readouterr().out
