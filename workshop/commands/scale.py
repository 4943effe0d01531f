"""The command ``trapline research scale``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.echo import echo


def scale(
    games: Annotated[Path, typer.Argument(metavar="GAMES.pgn", help="Games that are indexed and mined, not judged.")],
    judged: Annotated[Path, typer.Option(metavar="CLUB.pgn", help="Games whose moves are judged, and annotated.")],
    figures: Annotated[
        Path, typer.Option(metavar="FILE.json", help="Figures. What it has already is not measured again.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="PAGE.md", help="The page is written there.")],
    sizes: Annotated[str, typer.Option(metavar="N,N…", help="Games to index, the fewest first.")] = "2000,10000,100000",
    mined: Annotated[str, typer.Option(metavar="N,N…", help="Those of the sizes that are mined.")] = "2000,10000",
    judged_sizes: Annotated[str, typer.Option(metavar="N,N…", help="Games to judge, the fewest first.")] = "20,100",
    puzzles: Annotated[
        Path | None, typer.Option(metavar="FILE.csv[.zst]", help="Lichess puzzles, for the merging of libraries.")
    ] = None,
    made_up: Annotated[
        int, typer.Option(metavar="N", min=0, help="Positions in games of a made-up library; 0: no such library.")
    ] = 0,
) -> None:
    """Measure what annotate, index and mine cost by the number of games, and compute a month of lichess from it.

    Each figure is stored at once. A run that was interrupted goes on where it was. TMPDIR names the place for large
    files.
    """
    import tempfile

    from trapcore.errors import UsageError
    from trapline.commands.terminal import Status
    from workshop.report import markdown
    from workshop.scale.measure import Plan, measure
    from workshop.scale.page import report
    from workshop.write_report import write_text

    def numbers(text: str) -> list[int]:
        if not all(part.isdecimal() and int(part) for part in text.split(",")):
            raise UsageError(f"numbers of games are written as 10000,100000, not {text}")
        return sorted(map(int, text.split(",")))

    plan = Plan(games, numbers(sizes), numbers(mined), judged, numbers(judged_sizes), puzzles, made_up)
    status = Status()
    with tempfile.TemporaryDirectory(prefix="trapline-scale-") as folder:
        try:
            found = measure(plan, figures, Path(folder), status.show)
        finally:
            status.clear()
    write_text(output, markdown(report(found)))
    echo(f"{output} has everything")
