"""The command ``trapline research coverage``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JobsOption
from trapline.echo import echo

if TYPE_CHECKING:
    from annotator.known_traps import KnownTraps
    from workshop.coverage.run import Annotate, Way

FEWER_ENGINE_NODES = (25_000,)
"""The engine's nodes for a position in the other runs of the frontier; the last run is as the settings say."""


def coverage(
    files: Annotated[list[Path], typer.Argument(metavar="GAMES.pgn…", help="Games that nothing was learned from.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The page, its plots and the labels are written there.")],
    engine: Annotated[
        str | None,
        typer.Option(metavar="PATH|auto", help="UCI engine of the reference. Default: the setting `engine`."),
    ] = None,
    games: Annotated[int | None, typer.Option(metavar="N", min=1, help="So many games only, the first ones.")] = None,
    every: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Each N-th game only: a file's first games may be of one tournament."),
    ] = 1,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Labels: used if they are there, added if not. Default: in FOLDER."),
    ] = None,
    nodes: Annotated[int, typer.Option(metavar="N", min=1, help="Nodes of the reference for a position.")] = 80_000,
    deep_nodes: Annotated[
        int, typer.Option("--deep-nodes", metavar="N", min=1, help="The same where a move seems to lose.")
    ] = 400_000,
    frontier: Annotated[
        bool, typer.Option("--frontier/--no-frontier", help="Run at several budgets, and the engine alone.")
    ] = True,
    jobs: JobsOption = None,
) -> None:
    """Count how many of the moves that lose are told, with an engine's judgement of every move as the reference.

    The engine judges each game once, which takes by far the longest (half a minute a game); its labels are kept, and
    an interrupted run goes on from there. ``jobs`` engines work at a time. What is measured runs on one thread.
    """
    from db.proof.engine_choice import engine_command
    from trapcore.errors import InputError, UsageError
    from trapline.commands.resources import check_outputs, jobs_or_default
    from trapline.commands.terminal import Status, print_table
    from trapline.settings import read_settings
    from workshop.coverage import page
    from workshop.coverage.frontier import ALONE
    from workshop.coverage.games import read_games
    from workshop.coverage.killers import Answers
    from workshop.coverage.labels import Reference, labels_of
    from workshop.coverage.run import Way, measure, run
    from workshop.write_report import make_folder, write_report

    settings = read_settings()
    command = engine_command(engine or settings.engine)
    if command is None:
        raise UsageError("what moves lose has to be judged: name a UCI engine with --engine")
    make_folder(out)
    kept = labels or out / "labels.jsonl"
    kept_answers = kept.with_suffix(".answers.jsonl")
    check_outputs([kept, kept_answers, out / "coverage.md", *out.glob("*.svg")], None, files)
    chosen = list(read_games(files, games, every))
    if not chosen:
        raise InputError("there is no game of standard chess that is long enough")
    status = Status()
    try:
        told = labels_of(chosen, kept, Reference(command, nodes, deep_nodes), jobs_or_default(jobs), status.show)
        ways = [Way(settings.nodes), Way(settings.nodes, settings.engine_nodes)]
        if frontier:
            fewer = [Way(settings.nodes, n) for n in FEWER_ENGINE_NODES if n < settings.engine_nodes]
            ways = [ways[0], *fewer, ways[1]]
        outcomes = run(chosen, told, annotator(no_traps(), command), ways, status.show)
        answers = Answers(kept_answers, command, deep_nodes)
        try:
            found = measure(outcomes, answers, command, ALONE if frontier else ())
        finally:
            answers.close()
    finally:
        status.clear()
    write_report(page.report(found, list(told.values())), "coverage", out)
    shown = page.summary(found)
    print_table(f"{found.games:,} games", shown.header, shown.rows)
    echo(f"{out / 'coverage.md'} has everything")


def no_traps() -> KnownTraps:
    """The traps of an empty library."""
    from tempfile import TemporaryDirectory

    from annotator.known_traps import KnownTraps
    from db.library.open import open_library
    from trapline.settings import read_settings

    with (
        TemporaryDirectory(prefix="trapline-coverage-") as folder,
        open_library(Path(folder) / "empty.sqlite", create=True) as empty,
    ):
        return KnownTraps.of(empty, read_settings().measure)


def annotator(known: KnownTraps, command: str) -> Annotate:
    """What annotates in a given way, on one thread."""
    from dataclasses import replace

    from annotator.files.plan import plan_run
    from annotator.files.progress import Progress
    from annotator.pipeline import Run
    from annotator.request import AnalysisOptions, AnalysisRequest
    from trapline.settings import read_settings

    def annotate(source: Path, output: Path, report: Path, way: Way) -> None:
        request = AnalysisRequest.from_settings(read_settings(), AnalysisOptions(nodes=way.nodes))
        engine = None if way.engine_nodes is None else command
        request = replace(request, engine=engine, engine_nodes=way.engine_nodes or request.engine_nodes, jobs=1)
        plan = plan_run([str(source)], str(output), str(report), strict=True)
        with Progress(plan, quiet=True) as progress:
            Run(request, plan, known, progress, resume=False).execute()

    return annotate
