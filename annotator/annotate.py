"""Annotation of a text or a file in one call, with the traps of an open library."""

from dataclasses import dataclass
from pathlib import Path

from annotator.counts import Counts
from annotator.events import TrapEvent
from annotator.files.plan import plan_run
from annotator.files.progress import Progress
from annotator.known_traps import KnownTraps
from annotator.pipeline import Run
from annotator.request import AnalysisOptions, AnalysisRequest
from annotator.settings import AnalysisSettings
from annotator.stream import annotate_stream
from db.library.library import Library
from trapcore.parallel.pools import threads


@dataclass(frozen=True, slots=True)
class AnnotatedPgn:
    """Games with their traps named."""

    text: str
    """The PGN that was given, with comments, variations and NAGs added."""
    events: tuple[TrapEvent, ...]
    """What happened to traps, in the order of the games and of their moves."""
    counts: Counts


def annotate_pgn(
    pgn: str,
    library: Library,
    settings: AnalysisSettings | None = None,
    options: AnalysisOptions | None = None,
) -> AnnotatedPgn:
    """Games of a PGN text with the traps of ``library`` named; without ``settings`` by the defaults.

    Raises ``LibraryError``, ``EngineError`` if the settings name an engine that fails, and ``UsageError`` for options
    that exclude each other. A game that cannot be read passes unchanged, and is counted as skipped.
    """
    request = AnalysisRequest.from_settings(settings or AnalysisSettings(), options)
    known, counts = KnownTraps.of(library, request.measure), Counts()
    with threads(request.jobs, "analyze") as pool:
        batches = list(annotate_stream([pgn.encode()], "the text", request, known, counts, pool.executor))
    events = tuple(event for batch in batches for game in batch.games for event in game.events)
    return AnnotatedPgn(b"".join(batch.text for batch in batches).decode(), events, counts)


def annotate_file(
    source: Path | str,
    output: Path | str,
    library: Library,
    settings: AnalysisSettings | None = None,
    options: AnalysisOptions | None = None,
) -> Counts:
    """Write the annotated games of ``source``, plain or compressed, to ``output``, compressed by its suffix.

    The output appears under its name when it is complete. Raises as `annotate_pgn`, ``InputError`` for a source that
    cannot be read, and ``OutputError``.
    """
    request = AnalysisRequest.from_settings(settings or AnalysisSettings(), options)
    plan = plan_run([str(source)], str(output), None, strict=False)
    with Progress(plan, quiet=True) as progress:
        return Run(request, plan, KnownTraps.of(library, request.measure), progress, resume=False).execute()
