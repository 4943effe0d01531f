"""The command ``trapline annotate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import (
    ClusterOption,
    DbOption,
    IndexedMeasureOption,
    JobsOption,
    LanguageOption,
    TellOption,
)
from trapline.echo import echo, say

if TYPE_CHECKING:
    from annotator.counts import Counts
    from annotator.files.plan import Plan
    from annotator.pipeline import Run
    from trapcore.errors import TraplineError


def annotate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="PGN, plain or compressed (.gz, .bz2, .zst). - is standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Output file, compressed by its suffix, for all inputs together. A directory, or a name that ends in "
            "/, gets one output for each input. Default: standard output.",
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.jsonl", help="Also write each finding as a line of JSON.")
    ] = None,
    tell: TellOption = None,
    measure: IndexedMeasureOption = None,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Also report moves that only resemble a trap, marked as unproved.")
    ] = False,
    verbosity: Annotated[
        str | None,
        typer.Option(
            metavar="brief|normal|full", help="How much the comments say. Default: the setting `verbosity`, normal."
        ),
    ] = None,
    language: LanguageOption = None,
    evaluations: Annotated[
        bool,
        typer.Option("--eval", help="Also write [%eval] for every move that has none, and the accuracy of both sides."),
    ] = False,
    evidence: Annotated[
        bool,
        typer.Option("--evidence", help="Also write into the comments who proved what, and how similar a trap is."),
    ] = False,
    side: Annotated[str, typer.Option(metavar="white|black|both", help="Report only the moves of this side.")] = "both",
    player: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Report only the moves of this player. A part of the name is enough."),
    ] = None,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|auto|off",
            help="UCI engine that decides which moves lost; auto finds a Stockfish. Default: the setting `engine`.",
        ),
    ] = None,
    db: DbOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if a file is damaged or a game cannot be read (exit code 3).")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show neither progress nor summary, only errors.")] = False,
) -> None:
    """Annotate PGN games: mark the moves that lose by force, and the traps that were set, avoided or fallen into.

    trapline adds comments, variations and numeric glyphs. The rest of the input stays as it is, byte for byte.
    Annotating the result once more adds nothing. A mate is claimed only if it is proved. Any other loss is what the
    search or the engine measured.

    The output appears under its name when it is complete. If a run is interrupted, --resume continues it.
    """
    from dataclasses import replace
    from time import monotonic

    from annotator.files.plan import plan_run
    from annotator.files.progress import Progress
    from annotator.known_traps import KnownTraps
    from annotator.pipeline import Run
    from annotator.request import AnalysisOptions, AnalysisRequest
    from annotator.selection import Selection, Side
    from annotator.settings import Tell
    from db.patterns.recall import recall_of, recall_state
    from db.storage.value_rows import values_of
    from db.wording.languages.available import Language
    from db.wording.languages.grammar import Verbosity
    from trapcore.errors import UsageError
    from trapcore.measures.options import chosen, indexed
    from trapline.commands.resources import open_existing, pool_for, say_engine, used_files
    from trapline.settings import read_settings

    if player is not None and not player.strip():
        raise UsageError("--player needs a name")
    given = {
        "tell": None if tell is None else chosen(Tell, tell),
        "verbosity": None if verbosity is None else chosen(Verbosity, verbosity),
        "language": None if language is None else chosen(Language, language),
        "measure": None if measure is None else indexed(measure),
        "jobs": jobs,
        "engine": engine,
    }
    settings = read_settings(**{name: value for name, value in given.items() if value is not None})
    options = AnalysisOptions(
        unproved=unproved,
        selection=Selection(chosen(Side, side), player),
        evidence=evidence,
        evaluations=evaluations,
    )
    request = replace(AnalysisRequest.from_settings(settings, options), strict=strict)
    if request.tell.judges_every_move and not quiet:
        say_engine(settings)
    began = monotonic()
    plan = plan_run(files, output, report, strict=strict, used=used_files(db))

    def say(message: str) -> None:
        if not quiet:
            echo(message, err=True)

    with open_existing(db) as library:
        known = replace(
            KnownTraps.of(library, settings.measure, say),
            stored=values_of(library.database),
            recall=recall_of(library),
            history=recall_state(library),
        )
        with pool_for(jobs, cluster) as pool, Progress(plan, quiet=quiet) as progress:
            run = Run(request, plan, known, progress, pool=pool, resume=resume)
            _execute(run, plan)
    _tell(run.counts, monotonic() - began, quiet=quiet)
    if strict and (run.counts.skipped or run.counts.problems or run.counts.cut):
        raise _strict_error(run.counts)


def _execute(run: Run, plan: Plan) -> None:
    from trapcore.errors import ClusterError, EngineError, OutputError

    try:
        run.execute()
    except KeyboardInterrupt:
        hint = "; continue with --resume" if run.resumable else ""
        say(f"interrupted{hint}")
        raise typer.Exit(130) from None
    except (OutputError, EngineError, ClusterError) as error:
        if not run.resumable:
            raise
        raise type(error)(f"{error}; what is finished was kept, go on with --resume") from error


def _tell(counts: Counts, seconds: float, *, quiet: bool) -> None:
    from rich.console import Console

    from annotator.files.progress import summary

    for problem in counts.problems:
        say(problem)
    if not quiet:
        for unread in counts.unread:
            say(f"not read: {unread}")
        if (more := counts.games_skipped - len(counts.unread)) > 0:
            say(f"and {more:,} games more were not read; --report lists every one")
        for note in counts.noted:
            say(note)
        if (more := sum(counts.notes.values()) - len(counts.noted)) > 0:
            say(f"There are {more:,} more notes; --report lists every one.")
        Console(stderr=True).print(summary(counts, seconds))


def _strict_error(counts: Counts) -> TraplineError:
    from trapcore.errors import InputError

    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted((counts.skipped | counts.cut).items()))
    return InputError(
        f"--strict: games were not read whole ({reasons})" if reasons else "--strict: an input is damaged"
    )
