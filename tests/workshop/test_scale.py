"""The measurement of scale with 50 games: every figure is there, and the page is that of the figures."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.layout.modules import ROOT
from trapline.program import app
from workshop.report import markdown
from workshop.scale.made_up import PLIES, answers, fill
from workshop.scale.page import MONTH, month, report
from workshop.scale.runs import WAYS

GAMES = ROOT / "examples" / "games.pgn"
FIGURES = ROOT / "docs" / "research" / "scale.json"


@pytest.mark.slow
def test_command_measures_50_games_and_resumes(tmp_path: Path) -> None:
    one = GAMES.read_text("utf-8").partition("\n\n[Event ")[0]
    games = tmp_path / "games.pgn"
    games.write_text("\n\n".join(f"{one.replace('?', str(number))}" for number in range(50)) + "\n")
    figures, page = tmp_path / "scale.json", tmp_path / "scale.md"
    words = ["research", "scale", str(games), "--judged", str(GAMES), "--figures", str(figures), "-o", str(page)]
    words += ["--sizes", "50", "--mined", "50", "--judged-sizes", "1", "--made-up", "5000"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found = json.loads(figures.read_text("utf-8"))
    assert {found[f"index, 50, {way}"]["games"] for way in WAYS} == {50}
    assert "games of masters into it" in found["made up"]["answers"][-2][0]
    assert "## A month of lichess" in page.read_text("utf-8")
    assert CliRunner().invoke(app, words).exit_code == 0
    assert json.loads(figures.read_text("utf-8")) == found, "nothing is measured twice"


def test_made_up_library_answers_as_real_one(tmp_path: Path) -> None:
    path = tmp_path / "made-up.sqlite"
    assert fill(path, 200) == 200 * PLIES
    questions = [question for question, _ in answers(path)]
    assert "`explore` in a position of 200 games" in questions
    assert "`explore` in a position of 100 games" in questions


def test_page_is_that_of_its_figures() -> None:
    figures = json.loads(FIGURES.read_text("utf-8"))
    assert (ROOT / "docs" / "scale.md").read_text("utf-8") == markdown(report(figures))


def test_month_is_computed_from_costs_a_game() -> None:
    figures = json.loads(FIGURES.read_text("utf-8"))
    runs = [one for name, one in figures.items() if name.startswith("judge, ") and name.endswith("one core")]
    small, large = sorted(runs, key=lambda one: one["games"])
    seconds = (large["cpu"] - small["cpu"]) / (large["games"] - small["games"])
    assert month(figures)["judge"] == pytest.approx(MONTH / 3600 * seconds)
