"""The command ``trapline research endings``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.echo import echo


def endings(
    files: Annotated[list[Path], typer.Argument(metavar="GAMES.pgn…", help="Games whose endings are annotated.")],
    count: Annotated[int, typer.Option("--endings", metavar="N", min=1, help="Endings to take.")] = 700,
    every: Annotated[int, typer.Option(metavar="N", min=1, help="Read each N-th game only.")] = 1,
    test: Annotated[
        bool, typer.Option("--test/--training", help="The half of the games to take. Tune nothing on --test.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Which endings are taken.")] = 0,
    nodes: Annotated[int, typer.Option(metavar="N", min=1, help="Nodes of the engine for a position.")] = 2_000_000,
    recall_nodes: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Nodes for a position to judge all moves for recall. 0: no recall."),
    ] = 0,
    engine: Annotated[
        str | None, typer.Option(metavar="PATH|auto", help="UCI engine. Default: the setting `engine`.")
    ] = None,
) -> None:
    """Check the marks in endings of seven men or fewer: does each marked move cost ten percentage points?

    The engine judges the positions before and after each marked move. With ``--recall-nodes`` it also judges every
    other move, to estimate how many costly moves are marked.
    """
    from db.proof.engine_choice import engine_command
    from trapcore.engines.uci_engine import UciEngine
    from trapcore.errors import InputError, UsageError
    from trapline.commands.terminal import Status
    from trapline.settings import read_settings
    from workshop.commands.coverage import annotator, no_traps
    from workshop.coverage.endings.measure import judged, marked, report
    from workshop.coverage.endings.sample import Part
    from workshop.coverage.endings.sample import endings as endings_of
    from workshop.coverage.games import read_games
    from workshop.coverage.run import Way
    from workshop.coverage.shares import Share
    from workshop.report import markdown

    settings = read_settings()
    command = engine_command(engine or settings.engine)
    if command is None:
        raise UsageError("an engine must judge the marked moves: name a UCI engine with --engine")
    chosen = endings_of(read_games(files, None, every), Part.TEST if test else Part.TRAINING, count, seed)
    if not chosen:
        raise InputError("no game reaches an ending of seven men")
    annotate = annotator(no_traps(), command)
    status, way = Status(), Way(settings.nodes)
    try:
        marks = marked(chosen, lambda source, output: annotate(source, output, output.with_suffix(".jsonl"), way))
        with UciEngine(command) as process:
            found = judged(chosen, process, nodes, status.show, marks)
            recall = None
            if recall_nodes:
                costly = judged(chosen, process, recall_nodes, status.show)
                recall = Share.among(key in marks for key, one in costly.items() if one.right)
    finally:
        status.clear()
    echo(markdown(report(len(chosen), list(found.values()), recall, nodes)))
