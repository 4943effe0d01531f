"""Prints which traps of a library stood on the board in the games of a PGN file, and what was played there.

    trapline library init --db traps.sqlite
    python examples/find_traps.py examples/games.pgn traps.sqlite

`trapline annotate` finds similar positions too and proves them; this program only shows how the interface is used.
"""

import sys
from pathlib import Path

import chess
import chess.pgn

from db import Library, open_library
from trapcore import Verdict, position_key


def main(games: str, path: str) -> None:
    """Print a line for each occurrence."""
    with Path(games).open(encoding="utf-8") as file, open_library(path, read_only=True) as library:
        while (game := chess.pgn.read_game(file)) is not None:
            show(game, library)


def show(game: chess.pgn.Game, library: Library) -> None:
    """Print the occurrences in one game."""
    for node in game.mainline():
        board = node.parent.board()
        for trap in library.find_by_key(position_key(board)):
            if trap.verdict is Verdict.PROVED:
                players = f"{game.headers['White']} - {game.headers['Black']}"
                print(f"{players}: {trap.name}; the bait is {trap.sans()[0]}, played was {board.san(node.move)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
