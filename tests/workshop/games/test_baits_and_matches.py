"""What `trapline research mcts` measures: baits chosen, matches, and the page of both."""

import math
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from db.formats.bundled import bundled_traps
from trapcore.errors import InputError, UsageError
from workshop.commands.monte_carlo import mcts
from workshop.coverage.shares import Share
from workshop.games.monte_carlo import baits, dynamics, matches, page
from workshop.games.monte_carlo.baits import Choice, Depth, Puzzle
from workshop.games.search.monte_carlo import PlayoutBudget

APP = typer.Typer()
APP.command()(mcts)

HEADER = "PuzzleId,FEN,Moves,Rating,Themes"
#: Fool's mate: g2g4 lets the queen mate; and a queen that goes where she is taken.
ROWS = [
    "aaa,rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2,g2g4 d8h4,600,mate mateIn1 short",
    "bbb,4k3/8/3p4/8/8/8/8/Q3K3 w - - 0 1,a1e5 d6e5,600,crushing",
    "ccc,no position,a1a2 a2a3,600,mate mateIn2",
]


@pytest.fixture
def puzzles(tmp_path: Path) -> Path:
    path = tmp_path / "puzzles.csv"
    path.write_text("\n".join([HEADER, *ROWS]) + "\n", "utf-8")
    return path


def test_puzzles_are_sorted_by_the_depth_of_the_trap(puzzles: Path) -> None:
    read = baits.read_puzzles(puzzles, 10)
    assert [(puzzle.number, puzzle.bait, puzzle.depth) for puzzle in read] == [
        ("aaa", "g2g4", Depth.MATE_1),
        ("bbb", "a1e5", Depth.MATERIAL),
    ]
    puzzles.write_text(HEADER + "\n", "utf-8")
    with pytest.raises(InputError, match="there is no puzzle"):
        baits.read_puzzles(puzzles, 10)


def test_bundled_positions_are_those_before_the_bait_of_each_depth_by_turns() -> None:
    found = baits.bundled_positions(8)
    assert [puzzle.depth for puzzle in found] == list(Depth) * 2
    traps = {trap.slug: trap for trap in bundled_traps()}
    assert all((traps[one.number].epd, traps[one.number].bait) == (one.fen, one.bait) for one in found)
    assert len(baits.bundled_positions(10_000)) > 100
    assert baits.bundled_positions(0) == []


def test_a_search_that_goes_on_chooses_as_one_that_is_asked_once() -> None:
    puzzle = Puzzle("aaa", ROWS[0].split(",")[1], "g2g4", Depth.MATE_1)
    choices = list(baits.at_playouts(puzzle, "solver", baits.steps(1000), seed=1))
    assert [choice.playouts for choice in choices] == [100, 300, 1000]
    # Some moves of White lose at once, and the solver has seen it long before.
    assert not choices[-1].is_bait
    assert not baits.at_equal_time(puzzle, baits.ALPHA_BETA, 0.05, seed=1).is_bait


def test_shares_are_counted_by_budget_and_depth() -> None:
    mate, other = (Puzzle(name, "", "a1a2", depth) for name, depth in (("m", Depth.MATE_1), ("o", Depth.MATERIAL)))
    choices = [Choice("uct", mate, 100, "a1a2"), Choice("uct", other, 100, "b1b2"), Choice("uct", mate, None, "b1b2")]
    assert baits.share(choices, "uct", 100) == Share(1, 2)
    assert baits.share(choices, "uct", None, Depth.MATE_1) == Share(0, 1)
    assert baits.share(choices, "rave", 100) == Share(0, 0)


def test_elo_and_its_interval() -> None:
    even, won = matches.Result(10, 0, 10), matches.Result(8, 0, 0)
    assert even.elo()[0] == pytest.approx(0)
    assert even.elo()[1] == pytest.approx(-even.elo()[2])
    assert won.elo()[0] == math.inf
    assert 100 < won.elo()[1] < math.inf
    assert matches.rating(0.75) == pytest.approx(190.8, abs=0.1)


def test_a_search_that_sees_wins_beats_one_that_hardly_looks() -> None:
    found = matches.match("tic-tac-toe", "solver", "uct", PlayoutBudget(playouts=300), 4, opening_plies=1)
    assert found.games == 4
    assert found.lost == 0
    strong = matches.match("breakthrough-6x6", "minimax", "uct", PlayoutBudget(playouts=100), 10)
    assert strong.won > strong.lost


def test_the_command_writes_a_page_with_all_searches(
    puzzles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.commands.monte_carlo.SPEED_PLAYOUTS", {"tic-tac-toe": 100})
    monkeypatch.setattr("workshop.games.monte_carlo.speed.SECONDS", 0.001)
    out = tmp_path / "out"
    few = ["--positions", "2", "--playouts", "100", "--seconds", "0.01", "--games", "2", "--match-playouts", "20"]
    options = [*few, "--searches", "uct,rave"]
    result = CliRunner().invoke(APP, ["--puzzles", str(puzzles), "--out", str(out), *options], catch_exceptions=False)
    assert result.exit_code == 0
    text = (out / "mcts.md").read_text("utf-8")
    assert "in 2 positions of puzzles or traps" in text
    assert len(re.findall(r"^\| breakthrough-6x6 \| rave +\| uct ", text, re.MULTILINE)) == 2
    assert "| alpha-beta" in text
    assert "mate in 1" in text


def test_an_unknown_search_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown search"):
        CliRunner().invoke(APP, ["--out", str(tmp_path), "--searches", "uctt"], catch_exceptions=False)


def test_ratings_without_end_are_written() -> None:
    match = page.Match("go-5x5", "rave", "grave", "100 playouts", matches.Result(3, 0, 0), is_timed=False)
    found = page.Found("command", ["rave"], [100], 0.1, [], [match], [], {})
    assert any("+∞" in cell for row in page.report(found).blocks[-1].rows for cell in row)  # type: ignore[union-attr]


def test_what_sharing_gains_stands_beside_the_dynamics_of_the_game() -> None:
    games = ("go-5x5", "tic-tac-toe", "breakthrough-6x6", "connect-four")
    known = {game: dynamics.variability(game) for game in games}
    # The less a game changes, the more sharing is made to gain here.
    places = {game: place for place, game in enumerate(sorted(games, key=known.__getitem__))}
    results = [(game, "rave", matches.Result(10 - places[game], 0, places[game])) for game in games]
    gains = dynamics.gains([*results, ("go-5x5", "minimax", matches.Result(1, 0, 0))])
    assert [(gain.game, gain.variability) for gain in gains] == list(known.items())
    assert dynamics.rank_correlation(gains, "rave") == pytest.approx(-1.0)
    assert dynamics.rank_correlation(gains[:3], "rave") is None
    assert dynamics.rank_correlation(gains, "similarity-rave") is None
    timed = [page.Match(game, "rave", "uct", "0.1 s", result, is_timed=True) for game, _, result in results]
    played = [page.Match(game, "rave", "uct", "100 playouts", result, is_timed=False) for game, _, result in results]
    found = page.Found("command", ["rave"], [100], 0.1, [], [*timed, *played], [], {})
    assert page.shared_gains(found) == gains
    table = page.report(found).blocks[-1]
    assert [row[0] for row in table.rows[:-1]] == sorted(games, key=known.__getitem__)  # type: ignore[union-attr]
    assert table.rows[-1] == ("rank correlation", "", "-1.00", "–")  # type: ignore[union-attr]
