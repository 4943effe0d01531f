"""The service at work: APScheduler starts the jobs that are due, until the service is stopped."""

import logging
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.interval import IntervalTrigger

from trapcore.errors import LibraryError
from trapcore.io import status_server
from trapline.service.alerts import alert
from trapline.service.games.live_rounds import LiveRounds
from trapline.service.health import health, metrics
from trapline.service.jobs import JOBS, run_job
from trapline.service.schedule import Schedule
from trapline.service.service import Service
from trapline.service.state.clock import StopFlag, Stopped
from trapline.service.state.job_log import summary

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
"""Interval at which the schedule is read."""


class SharedJobStore(MemoryJobStore):  # type: ignore[misc]
    """APScheduler's jobs in memory. The rows of the library, which all its services share, say which of them are due.

    APScheduler looks at the rows every `POLL_SECONDS`, because another process may have paused or resumed a job, the
    clock may have been set, or the machine may have slept.
    """

    def __init__(self, schedule: Schedule) -> None:
        super().__init__()
        self._schedule = schedule

    def get_due_jobs(self, now: datetime) -> list[Job]:
        """The jobs that are due and that no other process has taken.

        Raises `LibraryError`. APScheduler logs it and tries again after `POLL_SECONDS`.
        """
        jobs = {job.id: job for job in self.get_all_jobs()}
        taken = [jobs[name] for name in self._schedule.take_due(jobs)]
        for job in taken:
            job.modify(next_run_time=now)
        return taken

    def get_next_run_time(self) -> datetime:
        """When APScheduler looks again."""
        return datetime.now(UTC) + timedelta(seconds=POLL_SECONDS)


def add_jobs(scheduler: BaseScheduler, service: Service) -> Schedule:
    """Give the jobs of the service to a scheduler, and return their schedule. Raises `LibraryError`."""
    schedule = Schedule(service)
    schedule.update()
    scheduler.add_jobstore(SharedJobStore(schedule))
    for job in JOBS.values():
        if seconds := job.seconds(service.mine):
            trigger = IntervalTrigger(seconds=seconds, timezone=UTC)
            # However late it is, a run that was taken is done.
            scheduler.add_job(_run, trigger, (service, job.name), id=job.name, misfire_grace_time=None)
    return schedule


def serve(service: Service, stop_flag: StopFlag) -> None:
    """Run the jobs until ``stop_flag`` is set, and return when they have stopped.

    Raises `LibraryError`, and `OutputError` if the port of the health endpoint is taken.
    """
    service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
    # As many threads as jobs: none waits for another except for lichess and for the database.
    scheduler = BackgroundScheduler(
        timezone=UTC, executors={"default": ThreadPoolExecutor(len(JOBS))}, jobstore_retry_interval=POLL_SECONDS
    )
    schedule = add_jobs(scheduler, service)
    with ExitStack() as stack:
        if port := service.mine.health_port:
            end = status_server.serve(port, lambda: health(service, schedule), lambda: metrics(service, schedule))
            stack.callback(end)
        scheduler.start()
        stack.callback(scheduler.shutdown)
        stack.callback(service.stop)
        with suppress(Stopped):
            while True:
                stop_flag.wait(POLL_SECONDS)


def _run(service: Service, name: str) -> None:
    """Run a job, log its result, and alert the user if it failed."""
    try:
        result = run_job(service, name)
        if result is None:
            return
        for problem in result.outcome.problems:
            log.warning("%s: %s", name, problem)
        level = logging.ERROR if result.has_failed else logging.INFO
        log.log(level, "%s: %s", name, summary(result.outcome.counts, result.error))
        alert(service, name, result)
    except Stopped:
        return
    except LibraryError as error:
        log.error("%s: %s", name, error)
