"""The model of people's moves: what is fitted, what is left out, and what is written into the core's source."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.public_data import DATA, needs
from trapcore import _native
from workshop.coverage.games import read_games
from workshop.repertoire.decisions import decisions_of, games_of, is_left_out
from workshop.repertoire.falls import write_split
from workshop.repertoire.fit import Choices, baselines, choices_of, fit, log_losses

CLUB = DATA / "pgn/lichess_broadcast_club_luna.pgn"
WEIGHTS = Path(__file__).parents[2] / "trapcore/native/src/move_model/weights.rs"
WIDTH = len(_native.MOVE_FEATURES)


def drawn(weights: np.ndarray, decisions: int, seed: int = 1) -> Choices:
    """Choices of players who choose by these weights."""
    numbers = np.random.default_rng(seed)
    counts = numbers.integers(2, 30, decisions)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    seen = numbers.normal(size=(int(counts.sum()), WIDTH)).astype(np.float32)
    units = numbers.uniform(-2, 2, decisions)
    played = []
    for start, count, unit in zip(starts, counts, units, strict=True):
        rows = seen[start : start + count]
        power = np.exp(rows @ weights[:WIDTH] + unit * (rows @ weights[WIDTH:]))
        played.append(start + numbers.choice(count, p=power / power.sum()))
    return Choices(seen, starts, counts, np.array(played), units)


def test_the_fit_finds_the_weights_that_choices_were_made_by() -> None:
    weights = np.zeros(2 * WIDTH)
    weights[[0, 3, WIDTH + 5]] = 1.0, -0.7, 0.5
    found = fit(drawn(weights, 4_000))
    assert np.abs(found - weights).max() < 0.15
    held_out = drawn(weights, 1_000, seed=2)
    uniform, _ = baselines(held_out, held_out)
    assert log_losses(found, held_out).mean() < uniform.mean() - 0.2
    assert log_losses(np.zeros(2 * WIDTH), held_out) == pytest.approx(uniform)


@needs(CLUB)
def test_games_are_fitted_to_or_left_out_and_the_core_agrees_with_the_fit(tmp_path: Path) -> None:
    fitted, others = games_of([CLUB], left_out=False), games_of([CLUB], left_out=True)
    assert not {game.key for game in fitted} & {game.key for game in others}
    assert 0.1 < len(others) / (len(fitted) + len(others)) < 0.3
    write_split([CLUB], tmp_path)
    assert all(is_left_out(game) for game in read_games([tmp_path / "left-out.pgn"]))
    assert len(list(read_games([tmp_path / "fitted.pgn"]))) == len(fitted)
    decisions = decisions_of(others, 20)
    assert decisions == decisions_of(others, 20)
    source = WEIGHTS.read_text()
    weights = np.array(
        [
            float(word)
            for line in source.splitlines()
            if line.startswith("    ")
            for word in line.split(",")
            if word.strip()
        ]
    )
    losses = log_losses(weights, choices_of(decisions))
    for decision, loss in zip(decisions, losses, strict=True):
        probabilities = dict(_native.move_probabilities(decision.fen, decision.last, decision.rating))
        assert -np.log(probabilities[decision.played]) == pytest.approx(loss, abs=1e-3)
