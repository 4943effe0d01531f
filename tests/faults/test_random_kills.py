"""Every writing command, killed at random moments: some of what ``python -m tests.faults.random_kills`` does."""

import random
from pathlib import Path

import pytest

from tests.faults.random_kills import kill, works_in

pytestmark = pytest.mark.fault

MOMENTS = 1
GAMES = 100
SECONDS = 900


@pytest.mark.timeout(SECONDS)
def test_whatever_is_killed_is_whole_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_MEASURE", "sequences")
    chance = random.Random(20190223)
    for work in works_in(tmp_path, GAMES):
        kills, runs = kill(work, MOMENTS, tmp_path / work.name, chance)
        assert (kills, runs > 0) == (MOMENTS, True)
