"""The log of the jobs, in the table ``job_runs``: when each run began and ended, what it did, what went wrong."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, insert, select, update

from db.storage.database import Database
from db.storage.models import JobRunRow
from service.clock import Times, stamp

KILLED = "it was killed, or the machine went down"

KEPT = 1000
"""Runs of a job that the log keeps."""


@dataclass(slots=True)
class Outcome:
    """What a run did, in figures, and what went wrong with some of its sources."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """A sentence each."""

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**self.counts, **({"problems": self.problems} if self.problems else {})}


@dataclass(frozen=True, slots=True)
class Run:
    """A row of the log."""

    job: str
    started: str
    """UTC, as `service.clock.stamp` writes it."""
    ended: str | None
    counts: dict[str, Any]
    error: str | None

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "job": self.job,
            "started": self.started,
            "ended": self.ended,
            "counts": self.counts,
            "error": self.error,
        }


class Runs:
    """The log of one library."""

    def __init__(self, database: Database, times: Times) -> None:
        """Take a database that is open for writing."""
        self._database, self._times = database, times

    def begin(self, job: str) -> int:
        """The number of a new run. Whoever calls this holds the job's lease: a run without an end is a dead one."""
        with self._database.write() as connection:
            dead = update(JobRunRow).where(JobRunRow.job == job, JobRunRow.ended.is_(None), JobRunRow.error.is_(None))
            connection.execute(dead.values(error=KILLED))
            recent = select(JobRunRow.id).where(JobRunRow.job == job).order_by(JobRunRow.id.desc())
            oldest = connection.scalar(recent.offset(KEPT).limit(1))
            if oldest is not None:
                connection.execute(delete(JobRunRow).where(JobRunRow.job == job, JobRunRow.id <= oldest))
            row = {"job": job, "started": stamp(self._times.now()), "counts": "{}"}
            number = connection.execute(insert(JobRunRow).values(row)).inserted_primary_key
            assert number is not None
            return int(number[0])

    def end(self, number: int, outcome: Outcome, error: str | None) -> None:
        """It has come to its end, or to an error."""
        told = {
            "ended": stamp(self._times.now()),
            "counts": json.dumps(outcome.content(), ensure_ascii=False),
            "error": error,
        }
        with self._database.write() as connection:
            connection.execute(update(JobRunRow).where(JobRunRow.id == number).values(told))

    def log(self, job: str | None = None, most: int = 50) -> list[Run]:
        """The last runs of a job, or of all, the newest first."""
        wanted = select(JobRunRow.__table__).order_by(JobRunRow.id.desc()).limit(most)
        if job is not None:
            wanted = wanted.where(JobRunRow.job == job)
        with self._database.read() as connection:
            rows = connection.execute(wanted).all()
        return [Run(row.job, row.started, row.ended, json.loads(row.counts), row.error) for row in rows]
