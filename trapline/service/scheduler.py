"""The service at work: APScheduler starts the jobs that are due, until the service is stopped."""

import logging
from contextlib import ExitStack, suppress
from datetime import UTC, datetime

from apscheduler.executors.pool import ThreadPoolExecutor
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


def start_due(scheduler: BaseScheduler, schedule: Schedule, service: Service) -> None:
    """Give the jobs that are due, and that no other process has taken, to a scheduler. Raises `LibraryError`."""
    for name in schedule.take_due([job.name for job in JOBS.values() if job.seconds(service.mine)]):
        # However late it is, a run that was taken is done.
        scheduler.add_job(_run, args=(service, name), id=name, misfire_grace_time=None, replace_existing=True)


def serve(service: Service, stop_flag: StopFlag) -> None:
    """Run the jobs until ``stop_flag`` is set, and return when they have stopped.

    Raises `LibraryError`, and `OutputError` if the port of the health endpoint is taken.
    """
    service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
    # As many threads as jobs, and one for the schedule: none waits for another except for lichess and for the database.
    scheduler = BackgroundScheduler(timezone=UTC, executors={"default": ThreadPoolExecutor(len(JOBS) + 1)})
    schedule = Schedule(service)
    schedule.update()
    # Read again and again: another process may have paused a job, the clock may have been set, the machine have slept.
    scheduler.add_job(
        start_due,
        IntervalTrigger(seconds=POLL_SECONDS, timezone=UTC),
        (scheduler, schedule, service),
        next_run_time=datetime.now(UTC),
    )
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
