"""Opinion of one prover, search or engine on a trap. Several are stored side by side; `db.proof.prover` says which one
decides.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from db.traps.json_form import JSON_FORM
from trapcore import _native
from trapcore.proof.verdict import Verdict

# PROVER_VERSION and TESTER_VERSION of every version begin with our name; engines bring theirs.
_OURS = "trapline-"
_PROVER = _native.PROVER_VERSION.rpartition("-")[0] + "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A verdict and its holder. Two that differ only in their date are equal."""

    __pydantic_config__ = JSON_FORM

    by: str
    """Name with version; a trap has one opinion of each."""
    verdict: Verdict
    gain: float | None = None
    """Win chance that the bait gives away, 0..2; None if it was not measured."""
    nodes: int = 0
    """Nodes that it took, 0 or more: all that ours spent, or the engine's limit for a position."""
    depth: int | None = None
    """Plies; None for the mate prover, which counts moves."""
    date: str = field(default="", compare=False)
    """Day of the verdict, UTC, ``2025-03-01``; empty if unknown."""

    @property
    def is_ours(self) -> bool:
        """Of the mate prover or of our own search, in any version."""
        return self.by.startswith(_OURS)

    @property
    def is_proof(self) -> bool:
        """Decided by the mate prover, in any version: a proof in logic, which no measurement outweighs."""
        return self.by.startswith(_PROVER) and self.verdict is not Verdict.UNDECIDED


def contradict(verdicts: Iterable[Verdict]) -> bool:
    """Whether one of them is ``proved`` and another ``refuted``."""
    return {Verdict.PROVED, Verdict.REFUTED} <= set(verdicts)


def today() -> str:
    """The day as `Opinion.date` has it."""
    return datetime.now(UTC).date().isoformat()
