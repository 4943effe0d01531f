"""Proving the traps of a library again: after an update of the prover, with an engine, or with more time."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from db.library import Library
from db.proving import Judge, prove_all
from db.trap import Outcome, Trap
from trapcore.errors import InputError, LibraryError
from trapcore.proof import Verdict


@dataclass(slots=True)
class Verified:
    """What came out."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    changes: list[tuple[Trap, Trap]] = field(default_factory=list)
    """Traps before and after whose verdict, distance or line is another now."""
    kept: int = 0
    """Traps that an engine has measured and that were left, because there was none to do it again."""

    def content(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            **{str(verdict): self.verdicts[verdict] for verdict in Verdict},
            "kept": self.kept,
            "changes": [{"before": before.content(), "after": after.content()} for before, after in self.changes],
        }


def verify_traps(
    library: Library,
    traps: Sequence[Trap],
    judge: Judge,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Verified:
    """Prove the traps again and store what is new, each as soon as it is known, so that nothing is lost if it ends.

    ``progress`` is called with the number of traps done. Raises `LibraryError` for a trap that is none any more, and
    `EngineError`.
    """
    report = Verified()
    rest = [trap for trap in traps if not _left(trap, judge)]
    report.kept = len(traps) - len(rest)
    report.verdicts.update(trap.verdict for trap in traps if _left(trap, judge))
    for number, (before, after) in enumerate(prove_all(judge, rest, jobs), start=1):
        if isinstance(after, InputError):
            raise LibraryError(f"the trap {before.slug} in {library.name} is damaged: {after}") from after
        report.verdicts[after.verdict] += 1
        if _claim(before) != _claim(after):
            report.changes.append((before, after))
        if before != after:
            library.add(after, replace=True)
        if progress is not None:
            progress(number)
    return report


def _left(trap: Trap, judge: Judge) -> bool:
    # PROVER_VERSION and TESTER_VERSION, of whatever version, begin with our name; engines bring theirs.
    measured = trap.proof_by != "" and not trap.proof_by.startswith("trapline")
    return trap.outcome is Outcome.MATERIAL and measured and judge.engine is None


def _claim(trap: Trap) -> tuple[object, ...]:
    return trap.verdict, trap.mate_in, trap.killer_line
