"""What `trapline research local-search` measures: positions, claims, blunders, radii, and the page of them."""

import re
from pathlib import Path

import chess
import pytest
import typer
from typer.testing import CliRunner

from workshop.commands.local_search import local_search
from workshop.games.local_search import blunders, claims, page, positions, radius
from workshop.games.search.local_search import Finding, LocalBudget, LocalSearch
from workshop.games.search.monte_carlo import PlayoutBudget

APP = typer.Typer()
APP.command()(local_search)
FEW = LocalBudget(nodes=3_000)
#: White's man of b3 cannot be stopped.
RUNNER = "B...BB/....BB/....../.W..../....W./W....W w"


def test_positions_are_always_the_same_and_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workshop.games.local_search.positions.PLAYOUTS", 50)
    first, second = (positions.near_the_end("breakthrough-5x5", 6) for _ in range(2))
    assert first == second
    assert len(first) == 6
    # One ply before the end the player to move wins at once.
    for position in positions.near_the_end("breakthrough-5x5", 4, plies=1):
        found = LocalSearch("breakthrough-5x5", position).search(LocalBudget(moves=1))
        assert found.finding is Finding.WIN


def test_a_claim_is_held_against_two_other_searches() -> None:
    won = claims.claim("breakthrough-6x6", RUNNER, FEW, FEW)
    assert won.finding is Finding.WIN
    assert won.proof_number is not None
    assert won.proof_number.won
    assert won.is_false is False
    assert won.alpha_beta is not None
    nothing = claims.claim("breakthrough-6x6", "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW w", LocalBudget(moves=2), FEW)
    assert (nothing.finding, nothing.alpha_beta, nothing.is_false) == (Finding.NONE, None, None)


def test_a_won_game_that_is_kept_is_no_blunder() -> None:
    found = blunders.blunders("breakthrough-6x6", [RUNNER], "mcts-local", PlayoutBudget(playouts=1_200))
    assert (found.positions, found.thrown_away) == (1, 0)


def test_a_larger_radius_keeps_more_and_saves_less() -> None:
    assert radius.distance(chess.Move.from_uci("e2e4"), chess.Move.from_uci("d1h5")) == 1
    found = radius.radii(7)
    assert [one.kept for one in found] == sorted(one.kept for one in found)
    assert [one.saved for one in found] == sorted((one.saved for one in found), reverse=True)
    # Nothing on the board is farther than seven steps.
    assert (found[-1].kept, found[-1].saved) == (found[-1].traps, 0)


def test_the_command_writes_a_page_with_all_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = "breakthrough-5x5"
    monkeypatch.setattr("workshop.commands.local_search.GAMES", (small,))
    monkeypatch.setattr("workshop.commands.local_search.CHECKED", small)
    monkeypatch.setattr("workshop.games.local_search.positions.PLAYOUTS", 100)
    monkeypatch.setattr("workshop.games.local_search.claims.CHECK_NODES", 100_000)
    few = ["--positions", "3", "--seconds", "0.1", "--claims", "3", "--games", "2", "--match-seconds", "0.01"]
    result = CliRunner().invoke(APP, ["--out", str(tmp_path), *few], catch_exceptions=False)
    assert result.exit_code == 0
    text = (tmp_path / "local-search.md").read_text("utf-8")
    assert re.search(r"\| breakthrough-5x5 +\| 2\.42 +\| yes ", text)
    # Of the claims that were checked none is false.
    assert re.search(r"\| breakthrough-5x5 +\| (\d+) +\| (\d+) +\| 0 ", text)
    assert "| mcts-local" in text
    assert "bundled traps" in text


def test_a_page_without_claims_is_written() -> None:
    report = page.report(page.Found("command", "a machine", 1.0, {}, [], [], [], [], []))
    assert report.plots == ()
