"""The service at work: runs the jobs that are due, until it is stopped."""

import logging
from concurrent.futures import Executor, Future, ThreadPoolExecutor

from trapcore.errors import LibraryError
from trapcore.io import status_server
from trapline.service.alerts import alert
from trapline.service.games.live_rounds import LiveRounds
from trapline.service.health import health, metrics
from trapline.service.jobs import JOBS, run_job
from trapline.service.schedule import Schedule
from trapline.service.service import Service
from trapline.service.state.clock import StopFlag, Stopped

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
"""Interval at which the schedule is read: another process may have paused or resumed a job."""

MAX_FAILURES = 60
"""Failed reads of the schedule in a row that end the service: five minutes."""


class Scheduler:
    """Starts the jobs that are due, each in a thread of its own and at most once at a time."""

    def __init__(self, service: Service, executor: Executor | None = None) -> None:
        """``executor`` runs the jobs, by default a thread for each. Raises `LibraryError`."""
        self._service = service
        self.schedule = Schedule(service)
        # As many threads as jobs: none waits for another except for lichess and for the database.
        self._executor = executor or ThreadPoolExecutor(len(JOBS), thread_name_prefix="job")
        self._runs: dict[str, Future[None]] = {}

    def start_due(self) -> None:
        """Start the jobs that are due. Raises `LibraryError`."""
        for name in self.schedule.take_due():
            if name in self._runs and not self._runs[name].done():
                log.warning("%s is still running; this run is left out", name)
                continue
            self._runs[name] = self._executor.submit(_run, self._service, name)

    def close(self) -> None:
        """Wait until the running jobs have ended."""
        self._executor.shutdown(wait=True)


def serve(service: Service, stop_flag: StopFlag) -> None:
    """Run the jobs until ``stop_flag`` is set, and return when they have stopped.

    Raises `LibraryError`, and `OutputError` if the port of the health endpoint is taken.
    """
    service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
    scheduler = Scheduler(service)
    failures = 0
    end_status = None
    try:
        scheduler.schedule.update()
        if service.mine.health_port:
            schedule = scheduler.schedule
            end_status = status_server.serve(
                service.mine.health_port, lambda: health(service, schedule), lambda: metrics(service, schedule)
            )
        while not stop_flag.is_set:
            try:
                scheduler.start_due()
                failures = 0
            except LibraryError as error:
                # Usually another program writes for long.
                failures += 1
                log.warning("%s", error)
                if failures == MAX_FAILURES:
                    raise
            try:
                stop_flag.wait(POLL_SECONDS)
            except Stopped:
                break
    finally:
        if end_status is not None:
            end_status()
        service.stop()
        scheduler.close()


def _run(service: Service, name: str) -> None:
    """Run a job and log its result."""
    try:
        result = run_job(service, name)
    except Stopped:
        return
    except LibraryError as error:
        log.error("%s: %s", name, error)
        return
    except Exception:
        log.exception("%s failed", name)
        return
    if result is None:
        return
    for problem in result.outcome.problems:
        log.warning("%s: %s", name, problem)
    figures = ", ".join(f"{what} {count:,}" for what, count in result.outcome.counts.items() if count)
    if result.error is None:
        log.info("%s: %s", name, figures or "nothing to do")
    elif not result.has_failed:
        log.info("%s: %s (%s)", name, result.error, figures or "nothing done yet")
    else:
        log.error("%s: %s (%s)", name, result.error, figures)
    try:
        alert(service, name, result)
    except LibraryError as error:
        log.error("%s: %s", name, error)
