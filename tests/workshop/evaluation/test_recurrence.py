"""Whether players repeat themselves: shares and intervals of a library whose answer is known."""

from pathlib import Path

import pytest

from db.library.open import open_library
from db.patterns.bundled import bundled_patterns
from tests.db.patterns.samples import game, mistake, store
from workshop.evaluation import recurrence


def test_player_who_repeats_himself_is_told_from_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrence, "LEAST_GAMES", 12)
    games = [
        game("legal" if day % 2 else "noah", f"W{day}" if day % 2 else "Eva", "Eva" if day % 2 else f"B{day}")
        .replace("2020.01.01", f"2020.01.{day + 1:02}")
        .replace("[Result", '[WhiteElo "1500"]\n[BlackElo "1500"]\n[Result')
        for day in range(12)
    ]
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        store(library, tmp_path / "games.pgn", games)
        report, data = recurrence.measure(library, lambda _: None)
    repetitions = {each["level"]: each for each in data["repetitions"]}  # type: ignore[attr-defined]
    place = repetitions["place"]
    assert (place["player"], place["games"], place["mistakes"]) == ("Eva", 12, 12)
    assert place["own"] == pytest.approx(10 / 12)  # all but the first of each kind
    assert (place["others"], place["ratio"]) == (0, None)  # nobody else made a mistake
    assert repetitions["position"]["own"] == pytest.approx(10 / 12)
    assert "Eva" in str(report.blocks)
    known = {(each.cause, each.mechanism) for each in bundled_patterns()}
    moves = [mistake(line) for line in ("legal", "noah")]
    assert data["bundled"]["cause and mechanism"] == sum((m.cause, m.mechanism) in known for m in moves) / 2  # type: ignore[index]
    covered = data["coverage"][0]  # type: ignore[index]
    ideas = sum(not str(mistake(line).place).startswith("quiet") for line in ("legal", "noah"))
    assert covered["shares"]["place"] == ideas / 2
