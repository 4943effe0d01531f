"""Log of the jobs, in the table ``job_runs``: start, end, figures and errors of each run."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import delete, insert, select, update

from db.storage.column_types import stored
from db.storage.database import Database
from db.storage.tables import JobRunRow
from trapline.service.state.clock import Clock, stamp

KILLED = "it was killed, or the machine went down"

STOPPED = "it was told to stop; the next run goes on from there"
"""Error of a run that was asked to stop, which is no failure."""

MAX_RUNS = 1000
"""Runs of each job that stay in the log."""


@dataclass(slots=True)
class Outcome:
    """Figures of a run, and the problems of some of its sources."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """A sentence each."""

    def content(self) -> dict[str, Any]:
        """JSON object of it."""
        return {**self.counts, **({"problems": self.problems} if self.problems else {})}


@dataclass(frozen=True, slots=True)
class JobRun:
    """Row of the log."""

    job: str
    started: str
    """UTC, as `trapline.service.state.clock.stamp` writes it."""
    ended: str | None
    counts: dict[str, Any]
    error: str | None

    def content(self) -> dict[str, Any]:
        """JSON object of it."""
        return asdict(self)


def summary(counts: Mapping[str, Any], error: str | None) -> str:
    """Figures and error of a run in a line, such as ``fetched 3, new 2``."""
    parts = [f"{what} {count:,}" for what, count in counts.items() if isinstance(count, int) and count]
    if problems := counts.get("problems"):
        parts.append(f"problems {len(problems)}")
    return (", ".join(parts) or "nothing to do") + (f"; {error}" if error else "")


class JobLog:
    """Log of one library."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """``database`` is open for writing."""
        self._database, self._clock = database, clock

    def begin(self, job: str) -> int:
        """Number of a new run. The caller holds the job's lock, so an earlier run without an end was killed."""
        with self._database.write() as connection:
            dead = update(JobRunRow).where(JobRunRow.job == job, JobRunRow.ended.is_(None), JobRunRow.error.is_(None))
            connection.execute(dead.values(error=KILLED))
            recent = select(JobRunRow.id).where(JobRunRow.job == job).order_by(JobRunRow.id.desc())
            oldest = connection.scalar(recent.offset(MAX_RUNS).limit(1))
            if oldest is not None:
                connection.execute(delete(JobRunRow).where(JobRunRow.job == job, JobRunRow.id <= oldest))
            row = {"job": job, "started": stamp(self._clock.now()), "counts": "{}"}
            number = connection.execute(insert(JobRunRow).values(row)).inserted_primary_key
            assert number is not None
            return int(number[0])

    def end(self, number: int, outcome: Outcome, error: str | None) -> None:
        """Record the end of a run."""
        values = {
            "ended": stamp(self._clock.now()),
            "counts": json.dumps(outcome.content(), ensure_ascii=False),
            "error": error,
        }
        with self._database.write() as connection:
            connection.execute(update(JobRunRow).where(JobRunRow.id == number).values(values))

    def log(self, job: str | None = None, most: int = 50) -> list[JobRun]:
        """The last runs of a job, or of all jobs, the newest first."""
        wanted = select(JobRunRow.__table__).order_by(JobRunRow.id.desc()).limit(most)
        if job is not None:
            wanted = wanted.where(JobRunRow.job == job)
        with self._database.read() as connection:
            rows = connection.execute(wanted).all()
        return [JobRun(row.job, row.started, row.ended, stored(json.loads, row.counts), row.error) for row in rows]
