"""The command ``trapline annotate``.

Everything but typer is imported when the command runs, so that ``trapline --help`` stays quick. Only PGN goes to
standard output; talk goes to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import (
    CapturesOption,
    ClusterOption,
    DbOption,
    DepthOption,
    IndexedMeasureOption,
    JobsOption,
    LabelsOption,
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
            help="PGN, plain or compressed (.gz, .bz2, .zst); - is standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write here, compressed by the suffix; several inputs one after the other. A directory (or a name "
            "that ends in /) gets one output for each input. Default: standard output.",
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.jsonl", help="Write each finding as a line of JSON as well.")
    ] = None,
    tell: TellOption = None,
    min_similarity: Annotated[
        float | None,
        typer.Option(
            metavar="0..1",
            help="How similar a position must be to be looked into. Default: the setting `min_similarity`, else 0.5 "
            "for the measure abstracted and 0.8 for the others.",
        ),
    ] = None,
    measure: IndexedMeasureOption = None,
    depth: DepthOption = None,
    labels: LabelsOption = "uci",
    captures: CapturesOption = False,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Tell also what only resembles a trap, marked as unproved.")
    ] = False,
    verbosity: Annotated[
        str | None,
        typer.Option(
            metavar="brief|normal|full", help="How much the comments say. Default: the setting `verbosity`, normal."
        ),
    ] = None,
    language: LanguageOption = None,
    evaluations: Annotated[
        bool, typer.Option("--eval", help="Write [%eval] as well where a value is known and the game has none.")
    ] = False,
    evidence: Annotated[
        bool,
        typer.Option("--evidence", help="Tell in the comments as well who proved what, and how similar a trap is."),
    ] = False,
    side: Annotated[
        str, typer.Option(metavar="white|black|both", help="Tell only what this side's moves did.")
    ] = "both",
    player: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Tell only what this player's moves did: part of the name, in any case."),
    ] = None,
    skip_plies: Annotated[
        int, typer.Option(metavar="N", help="Do not look at the first N half-moves of each game.", min=0)
    ] = 0,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|auto|off",
            help="UCI engine that decides which moves lost; auto is a Stockfish found on the machine. Default: the "
            "setting `engine`, off.",
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(metavar="N", help="Nodes of the prover for one candidate. Default: the setting `nodes`, 200000."),
    ] = None,
    db: DbOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if a file is damaged or a game could not be read (exit code 3).")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run from its journal.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Neither progress nor summary; errors are still shown.")
    ] = False,
) -> None:
    """Tell which moves of games lose by force, and which traps were set, fallen into, avoided, sprung or missed.

    Comments, variations and numeric glyphs are added. The rest of the input stays as it is, and a game without any
    passes byte for byte. Annotating the result once more adds nothing. A mate is claimed if it is proved. Any other
    loss is what the search or the engine measured.

    The output appears under its name when it is complete. Until then it is in a hidden folder beside it, and an
    interrupted run can be continued with --resume.
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
    from db.wording.grammar import Verbosity
    from db.wording.languages import Language
    from trapcore.errors import UsageError
    from trapcore.measures.options import chosen, indexed
    from trapcore.trees.chess_game import Labels
    from trapline.commands.resources import open_existing, pool_for, used_files
    from trapline.settings import read_settings

    if player is not None and not player.strip():
        raise UsageError("--player needs a name")
    given = {
        "tell": None if tell is None else chosen(Tell, tell),
        "verbosity": None if verbosity is None else chosen(Verbosity, verbosity),
        "language": None if language is None else chosen(Language, language),
        "measure": None if measure is None else indexed(measure),
        "min_similarity": min_similarity,
        "nodes": nodes,
        "jobs": jobs,
        "engine": engine,
    }
    settings = read_settings(**{name: value for name, value in given.items() if value is not None})
    options = AnalysisOptions(
        depth=depth,
        labels=chosen(Labels, labels),
        captures=captures,
        unproved=unproved,
        skip_plies=skip_plies,
        selection=Selection(chosen(Side, side), player),
        evidence=evidence,
        evaluations=evaluations,
    )
    request = replace(AnalysisRequest.from_settings(settings, options), strict=strict)
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
