"""``trapline repertoire build`` as people run it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.library.open import open_library
from tests.coach.repertoire.test_replies import game
from tests.support.command_line import run_program
from tests.support.db_traps import write
from tests.support.polling import PATIENCE_SECONDS, processor_seconds, until

ROOT = Path(__file__).parents[3]
HEAD = ("repertoire", "build", "--color", "black", "--db", "library.sqlite")
QUICK = ("--positions", "4", "--depth", "4", "--nodes", "800")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    games = [game("1. e4 e5 2. Ba6 bxa6", 1400, 1400, "0-1").replace('"A"', f'"A{n}"') for n in range(30)]
    pgn = write(tmp_path / "games.pgn", *games)
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        index_files(library, [pgn])
    return tmp_path


def test_traps_are_printed_and_the_file_is_written(folder: Path) -> None:
    done = run_program((*HEAD, *QUICK, "--rating", "1200-1599", "-o", "black.pgn"), folder, {})
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0].split("\t")
    assert (first[:2], first[6]) == (["e4 e5", "Ba6"], "30 of 30")
    assert "points a game are expected" in done.stderr
    assert "Ba6 $4" in (folder / "black.pgn").read_text()
    done = run_program((*HEAD, *QUICK, "-o", "chapters", "--json"), folder, {})
    content = json.loads(done.stdout)
    assert content["traps"][0]["bait"] == "f1a6"
    assert content["files"] == ["chapters/repertoire-1.pgn"]
    assert content["points"] > content["main_points"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("-o", "black.txt"), "a repertoire is written to FILE.pgn, FILE.bin or a FOLDER"),
        (("-o", "black.pgn", "--rating", "2500-"), "none of the 30 indexed games has a player rated 2500+"),
        (("-o", "black.pgn", "--rating", "1600-1200"), "must not be above the highest"),
        (("-o", "black.pgn", "--max-cost", "nan"), "max-cost must be 0 to 1, not nan"),
        (("-o", "library.sqlite"), "the library itself"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(folder: Path, more: tuple[str, ...], message: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run_program((*HEAD, *more), folder, {})
    assert done.returncode != 0
    assert message in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


def test_ctrl_c_ends_it_at_once_and_leaves_nothing(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    command = [sys.executable, "-m", "trapline", *HEAD, "--positions", "5000", "-o", "black.pgn", "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE)
    try:
        until(lambda: process.poll() is not None or processor_seconds(process.pid) > 4)
        assert process.poll() is None, "it has to be at work"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    assert process.returncode != 0
    left = {path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert left == set(before)
