"""The command ``trapline research causes``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import JsonOption
from trapline.echo import echo


def causes(
    files: Annotated[list[Path], typer.Argument(metavar="GAMES.pgn…", help="Games that nothing was tuned on.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Markdown and JSON are written there.")],
    games: Annotated[int | None, typer.Option(metavar="N", min=1, help="So many games only, the first ones.")] = None,
    every: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Each N-th game only: a file's first games may be of one tournament."),
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Count why the losing moves of games lose, and how many have a cause.

    Some seconds a game, on one thread.
    """
    import json

    from trapline.commands.terminal import Status, print_json, print_table
    from workshop.themes import causes as page
    from workshop.write_report import make_folder, write_report, write_text

    make_folder(out)
    status = Status()
    try:
        found = page.figures(page.chosen(files, games, every), status.show)
    finally:
        status.clear()
    content = page.content(found)
    write_report(page.report(found), "causes", out)
    write_text(out / "causes.json", json.dumps(content, indent=1) + "\n")
    if as_json:
        print_json(content)
        return
    rows = tuple((name, f"{count:,}") for name, count in found.first.most_common())
    print_table(f"{found.moves:,} losing moves, {found.explained:,} with a cause", ("first cause", "moves"), rows)
    echo(f"{out / 'causes.md'} has everything")
