"""Table of all jobs, and one run of a job: exclusive over all processes, stoppable, and logged."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from trapcore.errors import TraplineError, unknown_name
from trapline.service import digest
from trapline.service import maintenance_jobs as maintenance
from trapline.service.service import Service
from trapline.service.settings import ServiceSettings
from trapline.service.sources import broadcasts, chesscom, dumps, folders, studies, tournaments, tv, users
from trapline.service.state.clock import StopFlag, Stopped
from trapline.service.state.job_log import STOPPED, Outcome

log = logging.getLogger(__name__)

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Job:
    """Periodic task. Every job may be killed at any moment and run again."""

    name: str
    does: str
    """Description for the user, such as ``makes a backup``."""
    work: Callable[[Service, StopFlag, Outcome], None]
    seconds: Callable[[ServiceSettings], float]
    """Interval between two runs by the settings; 0 if there is nothing to do."""
    fetches: bool = True
    """Whether it brings games."""


def _polled(name: str) -> Callable[[ServiceSettings], float]:
    return lambda mine: mine.poll_minutes * 60.0 if getattr(mine, name) else 0.0


_ALL = (
    Job("users", "fetches the new games of users", users.fetch, _polled("users")),
    Job("chesscom", "fetches the new games of players at chess.com", chesscom.fetch, _polled("chesscom_users")),
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
    Job("dumps", "fetches and reads the large files", dumps.fetch, _polled("dumps")),
    Job("mine", "looks for traps in the games", maintenance.mine, lambda mine: mine.mine_hours * HOUR, False),
    Job("verify", "proves all traps again", maintenance.verify, lambda mine: mine.verify_hours * HOUR, False),
    Job(
        "annotate", "annotates the fetched games", maintenance.annotate, lambda mine: mine.annotate_hours * HOUR, False
    ),
    Job("digest", "sends the day's traps", digest.send, lambda mine: 24 * HOUR if mine.has_digest else 0.0, False),
    Job("backup", "makes a backup", maintenance.backup, lambda mine: mine.backup_hours * HOUR, False),
    Job(
        "vacuum",
        "joins the fetched games by month, tidies the database file",
        maintenance.compact,
        lambda mine: mine.vacuum_hours * HOUR,
        False,
    ),
)
JOBS = {job.name: job for job in _ALL}


def job_named(name: str) -> Job:
    """The job of that name. Raises `UsageError`, which suggests the nearest name, if there is none."""
    if name not in JOBS:
        raise unknown_name("job", name, JOBS)
    return JOBS[name]


@dataclass(frozen=True, slots=True)
class JobResult:
    """Result of a run."""

    outcome: Outcome
    error: str | None
    """Why it did not come to its end; None if it did."""

    @property
    def has_failed(self) -> bool:
        """Whether it failed; a run that was asked to stop has not."""
        return self.error is not None and self.error != STOPPED


def run_job(service: Service, name: str) -> JobResult | None:
    """Run a job now; None if another process runs it.

    It waits until it is clear whether that process is alive, up to `trapline.service.state.locks.SILENT_SECONDS`.
    Raises `Stopped` if the service is stopped before the job has begun, and `LibraryError` if the log cannot be
    written.
    """
    job = job_named(name)
    with service.stop_flag() as stop_flag:
        with service.locks.hold(f"job {name}", wait=stop_flag.wait, lost=stop_flag.set) as is_held:
            if not is_held:
                log.info("%s runs elsewhere", name)
                return None
            number = service.job_log.begin(name)
            outcome = Outcome()
            error: str | None = "it was interrupted"
            try:
                stop_flag.check()
                job.work(service, stop_flag, outcome)
                error = None
            except Stopped:
                error = STOPPED
            except TraplineError as reason:
                error = str(reason)
            except Exception as reason:
                log.exception("%s failed", name)
                error = f"{type(reason).__name__}: {reason}"
            finally:
                service.job_log.end(number, outcome, error)
        return JobResult(outcome, error)
