"""The command ``trapline research coverage`` on real games with a real engine, and what its parts say."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import run_program
from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage import calibration
from workshop.coverage.figures import Coverage
from workshop.coverage.frontier import Alone, Point, alone_at, table, times
from workshop.coverage.games import read_games
from workshop.coverage.shares import Share

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


@pytest.mark.slow
def test_time_is_measured_at_several_budgets_beside_the_engine_alone(tmp_path: Path) -> None:
    games, out = games_file(tmp_path, LEGAL), tmp_path / "out"
    run_on(games, out, "--no-frontier")
    labels = (out / "labels.jsonl").read_bytes()
    run_on(games, out)
    assert (out / "labels.jsonl").read_bytes() == labels
    frontier = json.loads((out / "coverage.json").read_text())["frontier"]
    assert [run["nodes"] for run in frontier["engine_alone"]] == [[1_000], [4_000], [16_000], [64_000], [4_000, 32_000]]
    assert len(frontier["trapline"]) >= 3
    assert all(run["seconds"] > 0 for run in (*frontier["trapline"], *frontier["engine_alone"]))
    assert "Recall against time" in (out / "coverage.md").read_text()


def test_a_game_keeps_its_bytes(tmp_path: Path) -> None:
    legal, quiet = read_games([games_file(tmp_path, UNREADABLE, LEGAL, SHORT, QUIET)])
    assert legal.text.decode().strip() == LEGAL.strip()
    assert quiet.text.decode().strip() == QUIET.strip()


def made(nodes: int, seconds: float, found: int) -> Alone:
    """An engine alone that sees ``found`` of ten losing moves, and flags one other of a hundred."""
    losing = tuple((0.5 if i < found else 0.0, 0.6) for i in range(10))
    return Alone((nodes,), seconds, 100, (*losing, (0.4, 0.0), *((0.0, 0.0),) * 99))


def test_the_time_of_the_engine_alone_is_read_off_at_equal_recall_and_agreement() -> None:
    runs = [made(1_000, 1.0, 4), made(4_000, 4.0, 8)]
    # At an agreement of 1 the threshold goes above the false one: nothing else is lost.
    assert runs[0].recall_at(1.0) == 0.4
    assert runs[0].coverage(0.3).agreement == Share(4, 5)
    seconds, sure = alone_at(runs, 0.6, 1.0)
    assert sure == "="
    assert seconds == pytest.approx(2.0)
    assert alone_at(runs, 0.3, 1.0) == (1.0, "<=")
    assert alone_at(runs, 0.9, 1.0) == (4.0, ">")
    blind = [Alone((1,), 1.0, 1, ((0.5, 0.0),))]
    assert alone_at(blind, 0.5, 0.9) == (None, "never")
    point = Point("ours", 0.5, 100, Coverage(Share(6, 10), Share(6, 6)), engine=False)
    assert times(runs, point) == "4.0"
    assert times(runs, Point("none", 0.5, 100, Coverage(Share(0, 10), Share(0, 0)), engine=False)) == "–"
    assert [row[1] for row in table([point], runs).rows] == ["200", "100", "25"]


def test_a_stated_probability_is_held_against_what_came_of_it() -> None:
    stated = [(0.95, i < 27) for i in range(30)] + [(0.25, i < 9) for i in range(20)] + [(0.55, True)] * 3
    found = calibration.bins(stated)
    assert [round(b.true, 2) for b in found] == [0.45, 1.0, 0.9]
    # Three moves are too few to be the worst.
    assert calibration.worst_gap(found) == pytest.approx(0.2)
    assert calibration.worst_gap(calibration.bins([(0.5, True)])) is None
    assert calibration.table(found).rows[2][2:4] == (".900", "27 of 30")
