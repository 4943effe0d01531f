"""Annotation in one call gives what the command gives; the example program that uses it runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator import AnalysisOptions, AnalysisSettings, Selection, annotate_file, annotate_pgn
from annotator.selection import Side
from annotator.settings import Tell
from db.library.open import open_library
from tests.support.trap_games import AVOIDED, FELL, QUIET, annotated, game, make_library
from trapcore.errors import InputError
from trapcore.measures.options import IndexedMeasure

pytestmark = pytest.mark.usefixtures("by_sequences")

ROOT = Path(__file__).parents[2]
SETTINGS = AnalysisSettings(measure=IndexedMeasure.SEQUENCES, tell=Tell.SIMILAR)
GAMES = game(FELL) + game(QUIET) + game(AVOIDED, white="Zoë")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


def test_a_text_and_a_file_are_annotated_as_by_the_command(library: Path, tmp_path: Path) -> None:
    expected = annotated(GAMES, tmp_path / "command", library)
    source, out = tmp_path / "games.pgn", tmp_path / "out.pgn"
    source.write_text(GAMES, encoding="utf-8")
    with open_library(library) as opened:
        found = annotate_pgn(GAMES, opened, SETTINGS)
        counts = annotate_file(source, out, opened, SETTINGS)
        white = annotate_pgn(GAMES, opened, SETTINGS, AnalysisOptions(selection=Selection(Side.WHITE)))
        with pytest.raises(InputError):
            annotate_file(tmp_path / "absent.pgn", out, opened, SETTINGS)
    assert found.text.encode() == out.read_bytes() == expected
    assert [(str(event.event), event.ply) for event in found.events] == [
        ("set", 9), ("fell", 10), ("sprung", 11), ("set", 9), ("avoided", 10),
    ]  # fmt: skip
    assert (found.counts.games, found.counts.with_traps, found.counts.events) == (3, 2, counts.events)
    assert {event.mover for event in white.events} == {"white"}


def test_the_measure_of_the_defaults_brings_its_index(library: Path) -> None:
    with open_library(library) as opened:
        found = annotate_pgn(game(FELL), opened)
    assert [str(event.event) for event in found.events] == ["set", "fell", "sprung"]


def test_the_example_program_runs() -> None:
    program = ROOT / "examples" / "annotate_text.py"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "g4d1 loses: proved, mate in 2 by c4f7 e8e7 c3d5"
    assert lines[-3:] == ["move 5, Nxe5: set", "move 5, Bxd1: fell", "move 6, Bxf7+: sprung"]
