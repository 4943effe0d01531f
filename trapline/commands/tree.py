"""``trapline tree``: draws the local tree of a chess position.

Everything but typer is imported when the command runs, so that ``trapline --help`` stays quick.
"""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.echo import echo

SHOWN = 6
"""Children of a node that are drawn. The rest is counted."""


def tree(
    words: Annotated[
        list[str], typer.Argument(metavar="POSITION", help="FEN or EPD, also without quotes.", show_default=False)
    ],
    depth: Annotated[int, typer.Option(metavar="PLIES", help="Depth of the tree, 1 to 3.", min=1, max=3)] = 2,
    captures: Annotated[bool, typer.Option("--captures", help="Name the captured piece with each move.")] = False,
) -> None:
    """Draw the local tree of a position: all its lines to a depth."""
    from trapcore.trees.chess_game import Labels, chess_tree
    from trapcore.trees.drawing import draw, node_note

    fen = " ".join(words)
    drawn = chess_tree(fen, depth, Labels.SAN, captures=captures)
    echo(f"{fen}\n{len(drawn.children)} moves, {drawn.edges} edges to depth {depth}")
    if drawn.ended:
        echo(f"over here{node_note(drawn)}")
    for line in draw(drawn, SHOWN):
        echo(line)
