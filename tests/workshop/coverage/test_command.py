"""The command ``trapline research coverage`` on real games with a real engine, and what its parts say."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import run_program
from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
from workshop.benchmarks.stockfish import STOCKFISH

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
    content = json.loads((out / "coverage.json").read_text())
    for outcome in content["outcomes"]:
        assert outcome["games"] == 2
        assert outcome["near_mates"]["of"] == 1
        assert outcome["recall"]["of"] >= 1
        assert outcome["positions_a_second"] > 0
        assert 0 <= outcome["killers_right"]["hits"] <= outcome["killers_right"]["of"] == outcome["agreement"]["of"]
    assert [outcome["engine"] for outcome in content["outcomes"]] == [False, True]
    assert (out / "labels.jsonl").read_bytes().count(b"\n") == 2
