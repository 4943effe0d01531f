"""The fit of the stated probability: what made-up moves were drawn from is found again, and written into the core."""

import random
from pathlib import Path

import numpy as np
import pytest

from tests.workshop.coverage.played import LEGAL, games_file
from trapcore import _native
from workshop.coverage import calibration
from workshop.coverage.evidence import Seen, last_stages, seen_of
from workshop.coverage.fit import TABLES, borders, fit, left_out, stated, written
from workshop.coverage.games import read_games
from workshop.coverage.labels import Label

NAMES = ("one", "fall", "least_fall")
TRUE = ((-4.0, 9.0, 3.0), (-5.0, 12.0, 4.0))
SUSPICION = Path(__file__).parents[3] / "trapcore" / "native" / "src" / "judge" / "losses" / "suspicion.rs"


def drawn(count: int) -> list[Seen]:
    """Moves at two stages, that lose with the probability of the coefficients in `TRUE`."""
    random_numbers = random.Random(4)
    found = []
    for number in range(count):
        fall = random_numbers.uniform(-0.1, 0.8)
        features = (1.0, fall, fall - random_numbers.uniform(0, 0.2))
        for stage, weights in enumerate(TRUE):
            odds = sum(weight * x for weight, x in zip(weights, features, strict=True))
            loses = random_numbers.random() < 1 / (1 + np.exp(-odds))
            found.append(Seen(f"{number // 20:032x}"[::-1], number, stage, features, 0.0, 0.5 if loses else 0.0))
    return found


def test_the_coefficients_are_found_again() -> None:
    seen = drawn(6_000)
    rows = fit(seen, 2, NAMES)
    for row, true in zip(rows, TRUE, strict=True):
        # The two falls go together, so that only their sum is sharp.
        assert (row[0], row[1] + row[2]) == pytest.approx((true[0], true[1] + true[2]), rel=0.15)
    predicted = left_out(seen, 2, NAMES)
    assert len(predicted) == len(seen)
    end = last_stages(predicted)
    assert len(end) == 6_000
    worst = calibration.worst_gap(calibration.bins([(one.stated, one.loses) for one in end]))
    assert worst is not None
    assert worst < 0.06
    told = [float(row[1]) for row in borders(end).rows]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0.8
    assert stated(rows, seen[0]) == pytest.approx(stated([list(row) for row in TRUE], seen[0]), abs=0.05)


def test_the_core_sees_every_move_and_its_table_can_be_written(tmp_path: Path) -> None:
    (game,) = read_games([games_file(tmp_path, LEGAL)])
    loss = [0.0] * len(game.moves)
    label = Label(game.key, "e", 1, 1, "", "", None, None, None, list(game.moves), loss, loss, [], [], [])
    seen = seen_of([game], {game.key: label})
    assert [one.ply for one in seen if one.stage == 0] == list(range(1, 14))
    assert {one.stage for one in seen if one.ply == 10} >= {0, 1}
    assert all(len(one.features) == len(_native.LOSS_FEATURES) for one in seen)
    source = SUSPICION.read_text(encoding="utf-8")
    rows = [[0.5] * len(_native.LOSS_FEATURES)] * _native.LOSS_STAGES
    tables = dict.fromkeys(TABLES, rows)
    changed = written(source, tables)
    assert changed.count(f"[{', '.join(['0.500'] * len(rows[0]))}]") == 2 * len(rows)
    assert written(changed, tables) == changed
