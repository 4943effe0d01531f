"""``trapline tree``: draws the local tree of a position of chess or of another bundled game.

Everything but typer is imported when the command runs, so that ``trapline --help`` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trapcore.trees.tree import Game

SHOWN = 6
"""Children of a node that are drawn. The rest is counted."""


def tree(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] POSITION",
            help="FEN or EPD of a chess position. Or a bundled game (tic-tac-toe, breakthrough, go-5x5, …) and a "
            "position in its notation, by default the first.",
            show_default=False,
        ),
    ],
    depth: Annotated[int, typer.Option(metavar="PLIES", help="Depth of the tree, 1 to 3.", min=1, max=3)] = 2,
    captures: Annotated[bool, typer.Option("--captures", help="Name the captured piece with each move.")] = False,
) -> None:
    """Draw the local tree of a position: all its lines to a depth."""
    from trapcore.trees.drawing import draw, node_note
    from trapcore.trees.tree import local_tree

    game, position, text = _parse(words)
    drawn = local_tree(game, position, depth, captures=captures)
    echo(f"{text}\n{len(drawn.children)} moves, {drawn.edges} edges to depth {depth}")
    if drawn.ended:
        echo(f"over here{node_note(drawn)}")
    for line in draw(drawn, SHOWN):
        echo(line)


def _parse(words: Sequence[str]) -> tuple[Game[Any, Any], Any, str]:
    """The game, the position and its text that the words name; raises ``UsageError`` or ``PositionError``."""
    from trapcore.suggestions import unknown_name
    from trapcore.trees.chess_game import ChessGame, Labels
    from trapcore.trees.games import GAMES

    first, *rest = words
    if first not in GAMES and rest and "/" not in first:
        raise unknown_name("game", first, GAMES)
    if first not in GAMES or first == ChessGame().name:
        chess = ChessGame(Labels.SAN)
        fen = " ".join(rest if first in GAMES else words) or chess.text(chess.start())
        return chess, chess.parse(fen), fen
    game = GAMES[first]
    position = game.parse(" ".join(rest)) if rest else game.start()
    return game, position, game.text(position)
