"""The command ``trapline research themes``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import JobsOption
from trapline.echo import echo


def themes(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv[.zst]", help="Lichess puzzles.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The page is written there.")],
    half: Annotated[
        str,
        typer.Option(
            metavar="left-out|tuning|all",
            help="Which puzzles are counted: those that nothing was tuned on, the others, or all.",
        ),
    ] = "left-out",
    nodes: Annotated[
        int, typer.Option(metavar="N", min=0, help="Nodes of each search for zugzwang; 0: it is not looked for.")
    ] = 20_000,
    jobs: JobsOption = None,
) -> None:
    """Hold our themes of lines against lichess's tags of its puzzles, theme by theme.

    Some minutes for 60,000 puzzles, nearly all of them for zugzwang.
    """
    from trapcore.errors import UsageError
    from trapline.commands.resources import jobs_or_default
    from trapline.commands.terminal import Status, print_table
    from workshop.themes import page
    from workshop.themes.agreement import Half, agreement
    from workshop.write_report import make_folder, write_report

    if half not in set(Half):
        raise UsageError(f"--half is one of {', '.join(Half)}, not {half}")
    make_folder(out)
    status = Status()
    try:
        found = agreement(file, Half(half), nodes, jobs_or_default(jobs), status.show)
    finally:
        status.clear()
    write_report(page.report(found), "themes", out)
    shown = page.table(found)
    print_table(f"{found.puzzles:,} puzzles", shown.header, shown.rows)
    echo(f"{out / 'themes.md'} has everything")
