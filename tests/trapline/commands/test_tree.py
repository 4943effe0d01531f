"""``trapline tree``: what it draws and what it refuses."""

import chess
import typer

from tests.support.command_line import CommandLine
from trapcore.errors import PositionError
from trapline.commands.tree import tree

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


def test_a_fen_without_quotes() -> None:
    assert LINE.run(*chess.STARTING_FEN.split()) == LINE.run(chess.STARTING_FEN)


def test_the_tree_of_a_mate_ends_at_once() -> None:
    assert LINE.run("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").splitlines()[1:] == [
        "0 moves, 0 edges to depth 2",
        "over here  (the game ends: won)",
    ]
