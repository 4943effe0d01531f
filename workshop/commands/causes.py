"""The command ``trapline research causes``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.echo import echo


def causes(
    files: Annotated[list[Path], typer.Argument(metavar="GAMES.pgn…", help="Games that nothing was tuned on.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The page is written there.")],
    games: Annotated[int | None, typer.Option(metavar="N", min=1, help="So many games only, the first ones.")] = None,
    every: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Each N-th game only: a file's first games may be of one tournament."),
    ] = 1,
) -> None:
    """Count why the losing moves of games lose, and how many have a cause.

    Some seconds a game, on one thread.
    """
    from trapline.commands.terminal import Status, print_table
    from workshop.coverage.games import read_games
    from workshop.themes import causes as page
    from workshop.write_report import make_folder, write_report

    make_folder(out)
    status = Status()
    try:
        found = page.figures(read_games(files, games, every), status.show)
    finally:
        status.clear()
    write_report(page.report(found), "causes", out)
    rows = tuple((name, f"{count:,}") for name, count in found.first.most_common())
    print_table(f"{found.moves:,} losing moves, {found.explained:,} with a cause", ("first cause", "moves"), rows)
    echo(f"{out / 'causes.md'} has everything")
