"""Our themes of lines against the tags of a puzzle file: the counts, the command, and the page in the documents."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.layout.modules import ROOT
from tests.support.public_data import PUZZLES, needs
from tests.trapcore.proof.theme_lines import HAS
from trapcore.proof.themes import THEMES
from trapline.program import app
from workshop.themes import page
from workshop.themes.agreement import Half, agreement
from workshop.themes.definitions import DEFINITIONS

HEAD = "PuzzleId,FEN,Moves,Themes\n"


def row(number: str, name: str, tags: str) -> str:
    return f"{number},{HAS[name].fen},{HAS[name].moves},{tags}\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two forks, one of which lichess does not tag, and a pin that is tagged as a fork."""
    path = tmp_path / "puzzles.csv"
    path.write_text(HEAD + row("a", "fork", "fork short") + row("b", "fork", "short") + row("c", "pin", "fork oneMove"))
    return path


def silent(text: str) -> None:
    assert "puzzles" in text


def test_names_are_counted_against_tags(file: Path) -> None:
    found = agreement(file, Half.ALL, 0, 1, silent)
    fork = found.scores()["fork"]
    assert (fork.both, fork.ours, fork.theirs, fork.n) == (1, 1, 1, 2)
    assert (fork.precision, fork.recall, fork.f1) == (0.5, 0.5, 0.5)
    pin = found.scores()["pin"]
    assert (pin.n, pin.precision, pin.recall, pin.f1) == (0, 0.0, None, 0.0)
    assert (found.puzzles, found.positions) == (3, 13)
    assert "zugzwang" not in found.scores()


def test_the_command_writes_the_page(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["research", "themes", str(file), "--out", str(out), "--half", "all"])
    assert result.exit_code == 0, result.output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (out / "themes.md").read_text().splitlines()]
    assert ["fork", "2", ".500", ".500", ".500", "1", "1", "1"] in rows
    assert {row[0] for row in rows if row} >= set(THEMES)


def test_every_theme_is_explained() -> None:
    assert DEFINITIONS.keys() == set(THEMES)
    text = (ROOT / "docs" / "research" / "themes.md").read_text("utf-8")
    assert [name for name in THEMES if DEFINITIONS[name].meaning not in text] == []


@pytest.mark.slow
@needs(PUZZLES)
def test_the_page_of_the_documents_is_what_comes_out() -> None:
    text = (ROOT / "docs" / "research" / "themes.md").read_text("utf-8")
    found = page.table(agreement(PUZZLES, Half.LEFT_OUT, 0, 1, silent))
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines() if "|" in line}
    assert set(found.rows) - rows == set()
