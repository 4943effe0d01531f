"""Analysis request: which traps to search for in games, and how, as one value made from the settings in one place."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Self

from annotator.annotation import Annotator
from annotator.comments.style import Style
from annotator.engine_check import EngineVerifier
from annotator.files.journal import Option
from annotator.known_traps import KnownTraps
from annotator.selection import Selection
from annotator.settings import AnalysisSettings, Tell
from annotator.worker import BATCH_BYTES, LOSSES_BATCH_BYTES
from db.patterns.recall import no_recall
from db.traps.position_value import no_values
from db.traps.trap import Trap
from db.wording.languages.available import Language
from db.wording.languages.grammar import Verbosity
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.options import LEAST_SIMILARITY, IndexedMeasure
from trapcore.parallel.budget import Cancellation
from trapcore.proof.verdict import Verdict
from trapcore.version import installed_version


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOptions:
    """Options of one run that differ from the settings; what is None is as the settings say."""

    tell: Tell | None = None
    measure: IndexedMeasure | None = None
    min_similarity: float | None = None
    """0..1."""
    nodes: int | None = None
    """Nodes of the prover for one candidate, 1 or more."""
    unproved: bool = False
    selection: Selection = field(default_factory=Selection)
    verbosity: Verbosity | None = None
    language: Language | None = None
    evidence: bool = False
    """Who proved what, and how similar a trap is, stands in the comments as well."""
    evaluations: bool = False
    """``[%eval]`` is written where a value is known and the game has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRequest:
    """Measure, budgets and filters of a run; all of it decides about the output, except ``jobs`` and ``strict``.

    `from_settings` makes it. A caller that constructs one by hand has to give what the settings would.
    """

    measure: str
    min_similarity: float
    nodes: int
    """Of the prover, for one candidate."""
    tell: Tell = Tell.LOSSES
    """How much is reported, see `Tell`."""
    unproved: bool = False
    """Resemblances without a proof are reported as well, marked as such."""
    selection: Selection = field(default_factory=Selection)
    style: Style = field(default_factory=Style)
    """Of the comments."""
    engine: str | None = None
    """Path or command line of a UCI engine."""
    engine_nodes: int = 100_000
    strict: bool = False
    """An input that cannot be read, or not to its end, ends the run."""
    jobs: int = 1
    """Threads that judge, if no others are given."""
    batch_bytes: int = BATCH_BYTES

    @classmethod
    def from_settings(cls, settings: AnalysisSettings, options: AnalysisOptions | None = None) -> Self:
        """The request of these settings and options, which every way of use starts from."""
        options = options or AnalysisOptions()
        measure = options.measure or settings.measure
        tell = settings.tell if options.tell is None else options.tell
        verbosity = options.verbosity or settings.verbosity
        given = (options.min_similarity, settings.min_similarity, LEAST_SIMILARITY[measure])
        return cls(
            measure=measure,
            min_similarity=next(least for least in given if least is not None),
            nodes=settings.nodes if options.nodes is None else options.nodes,
            tell=tell,
            unproved=options.unproved,
            selection=options.selection,
            style=Style(
                verbosity=verbosity,
                language=options.language or settings.language,
                evidence=options.evidence,
                # Which move of a game was the costliest is known only if all that lose are told.
                closing=tell.judges_every_move and verbosity is not Verbosity.BRIEF,
                evaluations=options.evaluations,
            ),
            engine=settings.engine_command,
            engine_nodes=settings.engine_nodes,
            jobs=settings.jobs,
            batch_bytes=LOSSES_BATCH_BYTES if tell.judges_every_move else BATCH_BYTES,
        )

    def as_options(self, known: KnownTraps) -> dict[str, Option]:
        """Options, versions and digests that a continued run must agree in."""
        return {
            "version": installed_version() or "not installed",
            "prover": _native.PROVER_VERSION,
            "library": known.digest,
            "history": known.history,
            "weights": None if known.screen is None else known.screen.digest,
            "tell": str(self.tell),
            "measure": str(self.measure),
            "min_similarity": self.min_similarity,
            "nodes": self.nodes,
            "unproved": self.unproved,
            "side": self.selection.side.value,
            "player": self.selection.player,
            "verbosity": self.style.verbosity.value,
            "language": self.style.language.value,
            "evidence": self.style.evidence,
            "eval": self.style.evaluations,
            "engine": self.engine,
            "engine_nodes": self.engine_nodes,
            "batch_bytes": self.batch_bytes,
        }

    def analyzer(self, known: KnownTraps) -> _native.GameAnalyzer:
        """The core's analyzer of games for these traps.

        Raises ``UsageError`` for options that it refuses, and for a measure that needs an index without one.
        """
        traps, screen = known.traps, known.screen
        if (screen is None) is (self.measure == IndexedMeasure.ABSTRACTED):
            raise UsageError(f"the measure {self.measure} is used {'with' if screen is None else 'without'} a screen")
        return _native.GameAnalyzer(
            [(trap.epd, trap.bait, trap.killer_line, self._claim(trap), trap.mate_in or 0) for trap in traps],
            tell=self.tell,
            engine=self.engine is not None,
            measure=self.measure,
            min_similarity=self.min_similarity,
            nodes=self.nodes,
            # What the prover leaves open is the engine's to decide.
            unproved=self.unproved or self.engine is not None,
            values=self.style.evaluations or self.tell is Tell.ALL,
            ranker=None if screen is None else screen.weights.ranker,
            index=None if screen is None else screen.index,
            ids=None if screen is None else [screen.numbers[trap.slug] for trap in traps],
        )

    def annotator(self, known: KnownTraps, verifier: EngineVerifier | None, *, reporting: bool = False) -> Annotator:
        """What makes comments of findings; ``reporting`` if lines of a report are wanted."""
        return Annotator(
            known.traps,
            self.measure,
            self.selection,
            unproved=self.unproved,
            reporting=reporting,
            verifier=verifier,
            slips=self.tell is Tell.ALL,
            stored=known.stored,
            recall=known.recall,
        )

    def verifier(self) -> AbstractContextManager[EngineVerifier | None]:
        """The engine of the request, which runs meanwhile; None without one. Raises ``EngineError``."""
        if self.engine is None:
            return nullcontext()
        return EngineVerifier(self.engine, self.engine_nodes, self.jobs)

    def look(self, verifier: EngineVerifier | None) -> Callable[[_native.Batch, Cancellation], _native.Batch] | None:
        """The engine's look at each batch before it is judged; None where no engine judges moves that lose."""
        return None if verifier is None or not self.tell.judges_every_move else verifier.looked

    def _claim(self, trap: Trap) -> str:
        # Of what is doubted nothing is claimed, not even what a search here would see in it.
        return str(Verdict.REFUTED if trap.is_doubted and not self.unproved else trap.verdict)


class BatchAnalyzer:
    """Analyzer of a request as a function of batches; pickled, it takes along what it is made of."""

    def __init__(self, request: AnalysisRequest, known: KnownTraps) -> None:
        """Raises as `AnalysisRequest.analyzer`."""
        # What looks into the library stays here.
        self._made_of = request, replace(known, stored=no_values, recall=no_recall)
        self._analyzer = request.analyzer(known)

    def __call__(self, batch: _native.Batch, stop: Cancellation) -> _native.BatchFindings:
        """Findings in a batch; raises ``RuntimeError`` if ``stop`` was cancelled before it was done."""
        return self._analyzer.judge(batch, stop)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        """Arguments by which pickle makes it again."""
        return type(self), self._made_of
