"""How dynamic a game is: small cases by hand, both forms of the density, real games, and the command."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from trapcore.errors import InputError
from trapcore.trees.chess_game import ChessGame
from trapcore.trees.tree import Tree, local_tree
from workshop.commands.dynamics import dynamics as command
from workshop.games.monte_carlo.tree_dynamics import (
    LESS_DYNAMIC,
    Dynamics,
    Heuristic,
    LineDynamics,
    PgnGames,
    connection_density,
    connection_density_at,
    dynamics,
    line_dynamics,
    playouts,
)
from workshop.games.rules import GAMES
from workshop.games.rules.tic_tac_toe import TicTacToe

FIGURE_1 = Tree.literal({"a": {"c": {}, "d": {}, "e": {}, "f": {}}, "b": {"c": {}, "d": {}}, "c": {"a": {}, "b": {}}})


@dataclass(frozen=True)
class Written:
    """The game whose positions are trees written by hand; a move is the index of a child."""

    def moves(self, position: Tree) -> Sequence[int]:
        return range(len(position.children))

    def play(self, position: Tree, move: int) -> Tree:
        return position.children[move][1]

    def reward(self, position: Tree) -> float | None:
        return position.reward

    def label(self, position: Tree, move: int) -> str:
        return position.children[move][0]

    def irreversible(self, position: Tree, move: int) -> str:
        return ""


def first_line(tree: Tree) -> list[Tree]:
    """The positions of the line that always plays the first move."""
    line = [tree]
    while line[-1].children:
        line.append(line[-1].children[0][1])
    return line


# Density.


def test_the_density_is_the_mean_number_of_moves_out_of_a_position() -> None:
    assert connection_density(FIGURE_1, 1) == 3
    assert connection_density(FIGURE_1, 2) == 11 / 4
    # The end below "a" is a position without moves, and counts.
    assert connection_density(Tree.literal({"a": 1.0, "b": {"c": {}}}), 2) == (2 + 1) / (1 + 2)
    assert connection_density(Tree(ended=True), 2) == 0


@pytest.mark.parametrize("name", sorted(GAMES))
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 2), at=st.integers(0, 30))
@settings(max_examples=8, deadline=None)
def test_counting_without_the_tree_gives_the_density_of_the_tree(name: str, seed: int, depth: int, at: int) -> None:
    (line,) = playouts(GAMES[name], 1, seed, 30)
    position = line[min(at, len(line) - 1)]
    tree = local_tree(GAMES[name], position, depth)
    assert connection_density_at(GAMES[name], position, depth) == connection_density(tree, depth)


# A line of play.


def test_a_game_of_tic_tac_toe_by_hand() -> None:
    game = TicTacToe()
    line = [game.start()]
    for square in ("A1", "A2", "B1", "B2", "C1"):
        (move,) = [m for m in game.moves(line[-1]) if game.label(line[-1], m) == square]
        line.append(game.play(line[-1], move))
    assert game.reward(line[-1]) == 1.0
    found = line_dynamics(game, line, 1)
    assert found is not None
    assert found.densities == (9, 8, 7, 6, 5)  # the last position is over, and is left out
    assert found.variability == pytest.approx((1 / 9 + 1 / 8 + 1 / 7 + 1 / 6) / 4)
    assert found.turn_variability == pytest.approx((2 / 9 + 2 / 8 + 2 / 7) / 3)
    assert found.spread == pytest.approx(2**0.5 / 7)
    assert found.kept == pytest.approx((7 / 9 + 6 / 8 + 5 / 7) / 3)


def test_the_density_at_depth_2_sees_the_answers() -> None:
    line = first_line(FIGURE_1)
    found = line_dynamics(Written(), line[:2], 2)
    # 11 moves from 4 positions; then 4 moves from the position after "a" and the 4 after it.
    assert found == LineDynamics((11 / 4, 4 / 5), kept=None)
    assert found.variability == pytest.approx(1 - (4 / 5) / (11 / 4))
    assert found.turn_variability is None


def test_a_line_without_two_positions_says_nothing() -> None:
    over = Tree(ended=True, reward=1.0)
    assert line_dynamics(Written(), []) is None
    assert line_dynamics(Written(), [over, FIGURE_1]) is None
    assert line_dynamics(Written(), [FIGURE_1, over]) is None
    with pytest.raises(InputError, match="no game with two positions"):
        dynamics(Written(), [[over], []])


def test_every_game_counts_the_same_however_long_it_is() -> None:
    steady = Tree.literal({"a": {"a": {"a": {"a": {}}}}})
    halved = Tree.literal({"a": {"b": {}}, "c": {}})
    found = dynamics(
        Written(), [first_line(steady)[:4], first_line(halved)[:2], [over := Tree(ended=True, reward=0.0)]], 1
    )
    assert over.ended
    assert (found.games, found.positions) == (2, 6)
    assert found.variability == pytest.approx((0 + 1 / 2) / 2)
    assert found.density == pytest.approx((1 + 3 / 2) / 2)
    assert found.spread == pytest.approx((0 + (1 / 2) / (3 / 2)) / 2)
    assert (found.turn_variability, found.kept) == (0.0, 1.0)  # only the first game had second turns
    assert found.standard_error == pytest.approx(1 / 4)  # of 0 and 1/2: their deviation is sqrt(2)/4


@pytest.mark.parametrize(
    ("variability", "standard_error", "heuristic"),
    [
        (LESS_DYNAMIC - 0.05, 0.02, Heuristic.SHARING),
        (LESS_DYNAMIC + 0.05, 0.02, Heuristic.PRUNING),
        (LESS_DYNAMIC - 0.05, 0.03, None),
        (LESS_DYNAMIC + 0.05, 0.03, None),
        (0.0, None, None),
    ],
)
def test_the_heuristic_is_named_only_if_the_games_tell(
    variability: float, standard_error: float | None, heuristic: Heuristic | None
) -> None:
    assert Dynamics(5, 100, 20.0, variability, standard_error, 0.1, 0.1, 0.5).heuristic is heuristic


def test_go_is_less_dynamic_than_chess_as_the_paper_says() -> None:
    go = dynamics(GAMES["go-7x7"], playouts(GAMES["go-7x7"], 8, 1, 60))
    chess = dynamics(GAMES["chess"], playouts(GAMES["chess"], 8, 1, 60))
    assert go.variability < chess.variability
    assert go.kept is not None
    assert chess.kept is not None
    assert go.kept > chess.kept
    # The other reading of the paper's words would say the contrary.
    assert go.spread > chess.spread


# Games to measure on.


def test_playouts_are_legal_repeatable_and_broken_off() -> None:
    game = GAMES["breakthrough-6x6"]
    lines = list(playouts(game, 3, 7, 12))
    assert lines == list(playouts(game, 3, 7, 12))
    assert lines != list(playouts(game, 3, 8, 12))
    assert len(lines) == 3
    for line in lines:
        assert len(line) == 13 or game.reward(line[-1]) is not None
        for before, after in pairwise(line):
            assert after in [game.play(before, move) for move in game.moves(before)]


PGN = """[Event "one"]
[White "M\xfcller"]

1. e4 { a comment } e5 (1... c5 2. Nf3) 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "an illegal move"]

1. e4 e5 2. Ke3 *

[Event "another variant"]
[Variant "Atomic"]

1. e4 e5 *

[Event "a position that is none"]
[SetUp "1"]
[FEN "8/8/8 w - - 0 1"]

1. e4 *

[Event "two"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 *
"""


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(gzip.compress(PGN.encode("latin-1")))
    return path


def test_pgn_games_are_read_and_bad_ones_counted(pgn: Path, caplog: pytest.LogCaptureFixture) -> None:
    games = PgnGames(pgn, 10)
    lines = list(games)
    assert [len(line) for line in lines] == [8, 3]
    assert games.skipped == 3
    assert caplog.records == []
    assert lines[0][-1].is_checkmate()
    assert lines[1][2].fen() == "8/3k4/8/8/4P3/8/8/4K3 w - - 1 2"
    found = line_dynamics(ChessGame(), lines[0], 1)
    assert found is not None
    assert found.densities[:3] == (20, 20, 29)
    assert len(found.densities) == 7
    first = PgnGames(pgn, 1)
    assert [len(line) for line in first] == [8]
    assert first.skipped == 0


# The command.

app = typer.Typer()
app.command()(command)


def run(*arguments: str) -> str:
    """Standard output of a command that succeeds and says nothing on standard error."""
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_the_command_says_what_the_library_finds() -> None:
    answer: dict[str, Any] = json.loads(
        run("tic-tac-toe", "--games", "5", "--seed", "3", "--plies", "6", "--depth", "1", "--json")
    )
    found = dynamics(TicTacToe(), playouts(TicTacToe(), 5, 3, 6), 1)
    assert answer == {
        "game": "tic-tac-toe",
        "seed": 3,
        "plies": 6,
        "depth": 1,
        "games": 5,
        "positions": found.positions,
        "density": found.density,
        "variability": found.variability,
        "standard_error": found.standard_error,
        "turn_variability": found.turn_variability,
        "spread": found.spread,
        "kept": found.kept,
        "less_dynamic_below": LESS_DYNAMIC,
        "heuristic": found.heuristic,
    }


def test_the_command_reads_real_games(pgn: Path) -> None:
    answer = json.loads(run("chess", str(pgn), "--json"))
    assert (answer["games"], answer["skipped"], answer["positions"]) == (2, 3, 7 + 3)
    assert answer["pgn"] == str(pgn)
    assert f"2 games of {pgn} (3 skipped)" in run("chess", str(pgn))
