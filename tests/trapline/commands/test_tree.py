"""``trapline tree``: what it draws, of which games, and what it refuses."""

import chess
import pytest
import typer
from typer.testing import CliRunner

from tests.support.command_line import CommandLine
from trapcore.errors import PositionError, UsageError
from trapline.commands.searches.tree import tree

APP = typer.Typer()
APP.command()(tree)
LINE = CommandLine(APP)


def test_the_tree_of_a_chess_position() -> None:
    assert LINE.run(chess.STARTING_FEN, "--depth", "1").splitlines() == [
        chess.STARTING_FEN,
        "20 moves, 20 edges to depth 1",
        "├── Nh3",
        "├── Nf3",
        "├── Nc3",
        "├── Na3",
        "├── h3",
        "├── g3",
        "└── … 14 more",
    ]
    refused = LINE.refusal("nonsense")
    assert isinstance(refused, PositionError)
    assert "nonsense" in str(refused)


def test_the_trees_of_other_games() -> None:
    assert LINE.run("tic-tac-toe", "x.o/.x./x.o O", "--depth", "1").splitlines() == [
        "X.O/.X./X.O o",
        "4 moves, 4 edges to depth 1",
        "├── B3",
        "├── A2",
        "├── C2  (the game ends: won)",
        "└── B1",
    ]
    assert LINE.run("tic-tac-toe", "XXX/OO./...", "o").splitlines()[1:] == [
        "0 moves, 0 edges to depth 2",
        "over here  (the game ends: won)",
    ]
    assert "26 moves, 26 edges" in LINE.run("go-5x5", "--depth", "1")


def test_chess_by_name_and_a_fen_without_quotes() -> None:
    outputs = [
        LINE.run(*words, "--depth", "1")
        for words in (["chess"], ["chess", chess.STARTING_FEN], chess.STARTING_FEN.split(), [chess.STARTING_FEN])
    ]
    assert outputs == [outputs[0]] * 4
    assert "Nh3" in outputs[0]


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["tictactoe", "X.O/.X./X.O o"], UsageError, "unknown game 'tictactoe': did you mean 'tic-tac-toe'?"),
        (["tic-tac-toe", "X.O/.Q./X.O o"], PositionError, "tic-tac-toe: 'Q' on b2"),
        (["breakthrough", "x"], PositionError, "breakthrough: not 8 rows but 1"),
    ],
)
def test_it_says_what_is_wrong(words: list[str], kind: type[UsageError | PositionError], message: str) -> None:
    refused = LINE.refusal(*words)
    assert isinstance(refused, kind)
    assert refused.exit_code == kind.exit_code
    assert message in str(refused)


@pytest.mark.parametrize("depth", ["0", "4", "-1", "deep"])
def test_it_refuses_other_depths(depth: str) -> None:
    result = CliRunner().invoke(APP, [chess.STARTING_FEN, "--depth", depth])
    assert result.exit_code == UsageError.exit_code
    assert "--depth" in result.stderr
