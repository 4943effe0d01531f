"""The command ``trapline research coverage`` on real games with a real engine, and what its parts say."""

import re
from pathlib import Path

import pytest

from tests.support.command_line import run_program
from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.figures import KIND

pytestmark = pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")


def run_on(games: Path, out: Path, *more: str) -> None:
    """The command on these games, with few nodes for the reference."""
    given = (str(games), "--engine", str(STOCKFISH), "--out", str(out), "--nodes", "5000", "--deep-nodes", "20000")
    done = run_program(("research", "coverage", *given, *more), games.parent, {"HOME": str(games.parent / "home")})
    assert done.returncode == 0, done.stderr
    assert f"{out / 'coverage.md'} has everything" in done.stdout


def test_a_run_says_what_is_told_of_which_moves(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_on(games_file(tmp_path, UNREADABLE, LEGAL, SHORT, QUIET), out, "--no-frontier")
    text = (out / "coverage.md").read_text()
    assert "2 games of games.pgn, 25 moves. The reference is Stockfish" in text
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    assert rows[0] == ["figure", "no engine", "with the engine"]
    summary = {name: cells for name, *cells in rows[2 : rows.index(next(row for row in rows if row[0] == KIND))]}
    for name, cells in summary.items():
        for cell in cells:
            counts = re.search(r"\((\d+) of (\d+);", cell)
            if name.startswith("mates in up to 5 walked into"):
                assert counts is not None
                assert counts[2] == "1"
            if counts is not None:
                assert int(counts[1]) <= int(counts[2])
    assert all(int(cell) > 0 for cell in summary["positions a second and core"])
    assert (out / "labels.jsonl").read_bytes().count(b"\n") == 2
