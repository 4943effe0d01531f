"""How dynamic a game is: small cases by hand, real games, and the command."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
from trapcore.errors import InputError, UsageError
from trapcore.trees.chess_game import ChessGame
from trapcore.trees.tree import Tree
from workshop.commands.dynamics import dynamics as command
from workshop.games.monte_carlo.tree_dynamics import (
    LESS_DYNAMIC,
    Dynamics,
    Heuristic,
    LineDynamics,
    connection_density_at,
    dynamics,
    line_dynamics,
    pgn_games,
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
    assert connection_density_at(Written(), FIGURE_1, 1) == 3
    assert connection_density_at(Written(), FIGURE_1, 2) == 11 / 4
    # The end below "a" is a position without moves, and counts.
    assert connection_density_at(Written(), Tree.literal({"a": 1.0, "b": {"c": {}}}), 2) == (2 + 1) / (1 + 2)
    assert connection_density_at(Written(), Tree(ended=True), 2) == 0


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


def test_pgn_games_are_read_as_positions(tmp_path: Path) -> None:
    lines = list(pgn_games(games_file(tmp_path, UNREADABLE, LEGAL, SHORT, QUIET), 10))
    assert [len(line) for line in lines] == [14, 13]
    assert lines[0][-1].is_checkmate()
    found = line_dynamics(ChessGame(), lines[0], 1)
    assert found is not None
    assert found.densities[:3] == (20, 20, 29)
    assert len(found.densities) == 13
    with pytest.raises(UsageError, match="games must be"):
        pgn_games(tmp_path / "games.pgn", 0)


# The command.

app = typer.Typer()
app.command()(command)


def run(*arguments: str) -> str:
    """Standard output of a command that succeeds and says nothing on standard error."""
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_the_command_says_what_the_library_finds() -> None:
    said = run("tic-tac-toe", "--games", "5", "--seed", "3", "--plies", "6", "--depth", "1")
    found = dynamics(TicTacToe(), playouts(TicTacToe(), 5, 3, 6), 1)
    assert f"5 random games, seed 3, at most 6 plies, {found.positions} positions, depth 1" in said
    assert f"connection density  {found.density:.1f} moves per position" in said
    assert f"variability         {found.variability:.3f} ± {found.standard_error:.3f} from ply to ply" in said
    assert f"turn variability    {found.turn_variability:.3f} from turn to turn" in said
    assert f"spread              {found.spread:.3f} along a game" in said
    assert f"kept moves          {found.kept:.3f} from turn to turn" in said


def test_the_command_reads_real_games(tmp_path: Path) -> None:
    path = games_file(tmp_path, LEGAL, QUIET)
    assert f"2 games of {path}, 26 positions, depth 2" in run("chess", str(path))
