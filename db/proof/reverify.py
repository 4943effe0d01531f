"""Verification of a library: its traps proved again after an update of the prover, with an engine, or with more time.

Each result is stored as soon as it is known. A run over the whole library marks in the table ``verified`` what it has
done; if it is interrupted, the next one with the same means goes on behind the marks, and the last one removes them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, insert, select

from db.library.library import Library
from db.proof.prover import TrapProver, prove_all
from db.storage.tables import MetaRow, TrapRow, VerifiedRow
from db.traps.trap import Trap
from trapcore.errors import InputError, LibraryError
from trapcore.proof.verdict import Verdict

MEANS = "verified_with"
"""Fact in ``meta`` while a run is unfinished: `TrapProver.means` of it."""


@dataclass(slots=True)
class Verified:
    """What came out, for the whole run, the part before an interruption included."""

    wanted: int
    """Traps that the run is about."""
    resumed: int = 0
    """Of these, done before an interruption."""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    disputed: list[Trap] = field(default_factory=list)
    """Traps on which two opinions contradict each other, or an opinion the reason why a line is no trap."""
    refuted: list[Trap] = field(default_factory=list)
    """Traps that turned out to be none, without the lines that are known as none."""
    changed: int = 0
    """Traps whose verdict, distance or line is another now."""
    changes: list[tuple[Trap, Trap]] = field(default_factory=list)
    """Those of them that were not done before an interruption: before and after."""

    @property
    def done(self) -> int:
        """Traps done."""
        return self.verdicts.total()

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return {
            **{str(verdict): self.verdicts[verdict] for verdict in Verdict},
            "contradictions": len(self.disputed),
            "changed": self.changed,
            "resumed": self.resumed,
            "disputed": [
                {"slug": trap.slug, "verdict": str(trap.verdict), "opinions": trap.to_dict()["opinions"]}
                for trap in self.disputed
            ],
            "changes": [{"before": before.to_dict(), "after": after.to_dict()} for before, after in self.changes],
        }

    def count(self, trap: Trap) -> None:
        """Take in a trap that is done."""
        self.verdicts[trap.verdict] += 1
        if trap.is_disputed:
            self.disputed.append(trap)
        if trap.verdict is Verdict.REFUTED and not trap.reason:
            self.refuted.append(trap)


def verify_traps(
    library: Library,
    prover: TrapProver,
    traps: Sequence[Trap] | None = None,
    *,
    jobs: int = 1,
    progress: Callable[[Verified], None] | None = None,
) -> Verified:
    """Prove traps again and store what is new; None for all of the library, which goes on after an interruption.

    ``jobs`` (1 or more) work at the same time. ``progress`` is called after each trap with the same object. Raises
    `LibraryError` for a trap that is no longer valid, and `EngineError`.
    """
    whole = traps is None
    chosen = library.traps() if traps is None else traps
    report = Verified(len(chosen))
    marked = _resume(library, prover) if whole else {}
    for trap in chosen:
        if trap.slug in marked:
            report.count(trap)
    report.resumed, report.changed = report.done, sum(marked.values())
    rest = [trap for trap in chosen if trap.slug not in marked]
    for before, after in prove_all(prover, rest, jobs):
        if isinstance(after, InputError):
            raise LibraryError(f"the trap {before.slug} in {library.name} is damaged: {after}") from after
        changed = _claim(before) != _claim(after)
        if changed:
            report.changes.append((before, after))
            report.changed += 1
        if before != after:
            library.add(after, replace=True)
        if whole:
            _mark(library, after.slug, changed)
        report.count(after)
        if progress is not None:
            progress(report)
    if whole:
        with library.database.write() as connection:
            connection.execute(delete(VerifiedRow))
            connection.execute(delete(MetaRow).where(MetaRow.key == MEANS))
    return report


def _resume(library: Library, prover: TrapProver) -> dict[str, bool]:
    """Slugs of the traps that an unfinished run with the same means has done, and whether they changed."""
    with library.database.write() as connection:
        if connection.scalar(select(MetaRow.value).where(MetaRow.key == MEANS)) == prover.means:
            done = select(TrapRow.slug, VerifiedRow.changed).join_from(VerifiedRow, TrapRow)
            return dict(connection.execute(done).all())
        connection.execute(delete(VerifiedRow))
        connection.execute(delete(MetaRow).where(MetaRow.key == MEANS))
        connection.execute(insert(MetaRow).values(key=MEANS, value=prover.means))
    return {}


def _mark(library: Library, slug: str, changed: bool) -> None:
    with library.database.write() as connection:
        trap_id = connection.execute(select(TrapRow.id).where(TrapRow.slug == slug)).scalar_one()
        connection.execute(insert(VerifiedRow).values(trap_id=trap_id, changed=changed))


def _claim(trap: Trap) -> tuple[object, ...]:
    return trap.verdict, trap.mate_in, trap.killer_line
