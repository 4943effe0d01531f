"""What a run is asked for, as one value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from annotator.journal import Option
from annotator.selection import Selection
from annotator.worker import BATCH_BYTES
from db.similarity.annotator_index import Screen
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.budget import Cancellation
from trapcore.proof.verdict import Verdict
from trapcore.version import installed_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is looked for and how; all of it decides about the output, except ``jobs`` and ``strict``."""

    measure: str
    depth: int
    """Plies of the local tree."""
    labels: str
    captures: bool
    min_similarity: float
    nodes: int
    """Of the prover, for one candidate."""
    unproved: bool = False
    """Resemblances without a proof are told as well, marked as such."""
    skip_plies: int = 0
    """So many plies at the beginning of each game are not looked at."""
    selection: Selection = field(default_factory=Selection)
    engine: str | None = None
    """Path or command line of a UCI engine."""
    engine_nodes: int = 400_000
    strict: bool = False
    """An input that cannot be read, or not to its end, ends the run."""
    jobs: int = 1
    """Threads that judge, if no others are given."""
    batch_bytes: int = BATCH_BYTES

    def as_options(self, library: str, screen: Screen | None = None) -> dict[str, Option]:
        """What a continued run must agree in; ``library`` is the digest of the traps."""
        return {
            "version": installed_version() or "not installed",
            "prover": _native.PROVER_VERSION,
            "library": library,
            "weights": None if screen is None else screen.digest,
            "measure": str(self.measure),
            "depth": self.depth,
            "labels": str(self.labels),
            "captures": self.captures,
            "min_similarity": self.min_similarity,
            "nodes": self.nodes,
            "unproved": self.unproved,
            "skip_plies": self.skip_plies,
            "side": self.selection.side.value,
            "player": self.selection.player,
            "engine": self.engine,
            "engine_nodes": self.engine_nodes,
            "batch_bytes": self.batch_bytes,
        }

    def judge(self, traps: Sequence[Trap], screen: Screen | None = None) -> _native.Judge:
        """The Judge for these traps. Raises ``UsageError`` for options that it refuses.

        ``screen``, of the library that the traps are of, is needed by the measure ``abstracted`` alone.
        """
        if (screen is None) is (self.measure == IndexedMeasure.ABSTRACTED):
            raise UsageError(f"the measure {self.measure} is used {'with' if screen is None else 'without'} a screen")
        return _native.Judge(
            [(trap.epd, trap.bait, trap.killer_line, self._claim(trap), trap.mate_in or 0) for trap in traps],
            measure=self.measure,
            depth=self.depth,
            labels=self.labels,
            captures=self.captures,
            min_similarity=self.min_similarity,
            nodes=self.nodes,
            # What the prover leaves open is the engine's to decide.
            unproved=self.unproved or self.engine is not None,
            skip_plies=self.skip_plies,
            proposer=None if screen is None else screen.weights.proposer,
            likeness=None if screen is None else screen.index,
            ids=None if screen is None else [screen.numbers[trap.slug] for trap in traps],
        )

    def _claim(self, trap: Trap) -> str:
        # Of what is doubted nothing is claimed, not even what a search here would see in it.
        return str(Verdict.REFUTED if trap.is_doubted and not self.unproved else trap.verdict)


class Judging:
    """The Judge of a request at work; pickled, it takes along what the Judge is made of."""

    def __init__(self, request: Request, traps: Sequence[Trap], screen: Screen | None) -> None:
        """See `Request.judge`."""
        self._made_of = request, traps, screen
        self._judge = request.judge(traps, screen)

    def __call__(self, batch: _native.Batch, stop: Cancellation) -> _native.BatchFindings:
        """What there is in a batch; raises ``RuntimeError`` if ``stop`` was cancelled before it was done."""
        return self._judge.judge(batch, stop)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        """What pickle needs."""
        return type(self), self._made_of
