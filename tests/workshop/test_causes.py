"""Causes of losing moves in games: the counts, the command, and the page in the documents."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.layout.modules import ROOT
from tests.support.trap_games import FELL, game
from trapcore.errors import InputError
from trapcore.proof.causes import CAUSES
from trapline.program import app
from workshop.themes import causes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A game with Légal's mate."""
    path = tmp_path / "games.pgn"
    path.write_text(game(FELL), encoding="utf-8")
    return path


def test_causes_of_a_game_are_counted(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["research", "causes", str(file), "--out", str(out)])
    assert result.exit_code == 0, result.output
    text = (out / "causes.md").read_text("utf-8")
    assert "| threat " in text
    stated = re.search(r"1 games have (\d+) losing moves\. A cause is found for (\d+) % .* on (\d+) % give", text)
    assert stated is not None
    moves, with_cause, told = map(int, stated.groups())
    assert moves >= 1
    assert 0 < with_cause <= told <= 100
    counts = re.findall(r"^\| \w+ +\| [^|]+\| (\d+) +\| (\d+) +\|", text, re.MULTILINE)
    assert sum(int(first) for first, _ in counts) == round(with_cause * moves / 100)
    assert all(int(each) >= int(first) for first, each in counts)


def test_no_games_are_an_error() -> None:
    with pytest.raises(InputError, match="there is no game"):
        causes.figures([], print)


def test_every_cause_is_explained() -> None:
    assert list(causes.DEFINITIONS.keys() ^ set(CAUSES)) == []
    text = (ROOT / "docs" / "research" / "causes.md").read_text("utf-8")
    assert [name for name in CAUSES if causes.DEFINITIONS[name][0] not in text] == []
