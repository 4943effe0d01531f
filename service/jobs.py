"""Every job by its name, and a run of one: alone in the world, stoppable, and with a row in the log."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from service import maintenance_jobs as upkeep
from service.clock import Halt, Stopped
from service.job_log import Outcome
from service.service import Service
from service.settings import ServiceSettings
from service.sources import broadcasts, folders, studies, tournaments, tv, users
from trapcore.errors import TraplineError
from trapcore.suggestions import unknown_name

log = logging.getLogger(__name__)

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is done again and again. All of them may be killed at any moment and be run again."""

    name: str
    does: str
    """For the user."""
    work: Callable[[Service, Halt, Outcome], None]
    seconds: Callable[[ServiceSettings], float]
    """From one run to the next; 0 if there is nothing to do."""
    fetches: bool = True
    """It brings games."""


def _polled(name: str) -> Callable[[ServiceSettings], float]:
    return lambda mine: mine.poll_minutes * 60.0 if getattr(mine, name) else 0.0


_ALL = (
    Job("users", "fetches the new games of users", users.fetch, _polled("users")),
    Job(
        "studies",
        "fetches studies that have changed",
        studies.fetch,
        lambda mine: mine.poll_minutes * 60.0 if mine.studies or mine.studies_of else 0.0,
    ),
    Job(
        "tournaments",
        "fetches tournaments that are over",
        tournaments.fetch,
        lambda mine: mine.poll_minutes * 60.0 if mine.tournaments or mine.swiss else 0.0,
    ),
    Job("tv", "fetches the games of lichess TV when they are over", tv.fetch, _polled("tv")),
    Job("broadcasts", "follows and fetches rounds of broadcasts", broadcasts.fetch, _polled("broadcasts")),
    Job("folders", "reads new and changed files of the folders", folders.fetch, _polled("folders")),
    Job("dumps", "reads the large files", folders.fetch_dumps, _polled("dumps")),
    Job("mine", "looks for traps in the games", upkeep.mine, lambda mine: mine.mine_hours * HOUR, False),
    Job("verify", "proves all traps again", upkeep.verify, lambda mine: mine.verify_hours * HOUR, False),
    Job("annotate", "annotates the fetched games", upkeep.annotate, lambda mine: mine.annotate_hours * HOUR, False),
    Job("backup", "makes a backup", upkeep.backup, lambda mine: mine.backup_hours * HOUR, False),
    Job("vacuum", "tidies the database file", upkeep.tidy, lambda mine: mine.vacuum_hours * HOUR, False),
)
JOBS = {job.name: job for job in _ALL}


def job_named(name: str) -> Job:
    """Raises ``UsageError``, which names the nearest one, if there is none."""
    if name not in JOBS:
        raise unknown_name("job", name, JOBS)
    return JOBS[name]


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a run."""

    outcome: Outcome
    error: str | None
    """Why it did not come to its end."""


def run_job(service: Service, name: str, *, patient: bool = True) -> Ran | None:
    """Run a job now; None if another process is at it.

    ``patient`` finds out whether that process lives, which takes up to `service.locks.SILENT_SECONDS`. Raises
    `Stopped` if the service is told to stop before the job has begun, and `LibraryError` if the log cannot be written.
    """
    job = job_named(name)
    halt = service.halt()
    try:
        with service.locks.hold(f"job {name}", wait=halt.wait if patient else None, lost=halt.stop) as mine:
            if not mine:
                log.info("%s runs elsewhere", name)
                return None
            number = service.job_log.begin(name)
            outcome = Outcome()
            error: str | None = "it ended by an error that is no sentence"
            try:
                halt.check()
                job.work(service, halt, outcome)
                error = None
            except Stopped:
                error = "it was told to stop; the next run goes on from there"
            except TraplineError as reason:
                error = str(reason)
            except Exception as reason:
                log.exception("%s failed", name)
                error = f"{type(reason).__name__}: {reason}"
            finally:
                service.job_log.end(number, outcome, error)
        return Ran(outcome, error)
    finally:
        service.release(halt)
