"""When the jobs run: APScheduler with its job store in the library's own database.

A job that was missed, because nothing ran or the machine slept, runs once and then again in its interval. All times are
UTC, so no summer time moves them; a clock that was put back is noticed by a job that seems to be due too late.
"""

import io
import logging
import pickle
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from apscheduler.executors.base import BaseExecutor
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job as Appointment
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.interval import IntervalTrigger

from service.clock import Halt, Stopped
from service.jobs import JOBS, run_job
from service.live import LiveRounds
from service.service import Service
from trapcore.errors import LibraryError

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""So often the store is looked at: another process may have paused or resumed a job."""

UPKEEP_SECONDS = 600.0
"""So far apart are the first runs of the jobs that fetch nothing: they would only be in each other's way."""

MOST_FAILURES = 60
"""So many looks at the store may fail, one after the other, before the service gives up: five minutes."""

_FUNCTION = "service.scheduling:perform"
_STORED = {
    ("apscheduler.triggers.interval", "IntervalTrigger"),
    ("datetime", "datetime"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
}

_at_work: Service | None = None


def perform(name: str) -> None:
    """Run a job of the service that is at work in this process; called by the scheduler."""
    assert _at_work is not None, "no service is at work"
    try:
        ran = run_job(_at_work, name)
    except Stopped:
        return
    except LibraryError as error:
        log.error("%s: %s", name, error)
        return
    if ran is None:
        return
    for problem in ran.outcome.problems:
        log.warning("%s: %s", name, problem)
    figures = ", ".join(f"{what} {count:,}" for what, count in ran.outcome.counts.items() if count)
    if ran.error is None:
        log.info("%s: %s", name, figures or "nothing to do")
    else:
        log.error("%s: %s (%s)", name, ran.error, figures)


class _Reader(pickle.Unpickler):
    """Reads what this file writes and nothing else: a library may come from anywhere, a pickle can call anything."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _STORED and not (module == "zoneinfo" and name == "ZoneInfo._unpickle"):
            raise pickle.UnpicklingError(f"{module}.{name} does not belong into a job")
        return super().find_class(module, name)


class Store(SQLAlchemyJobStore):  # type: ignore[misc]
    """The job store, which takes back only jobs of ours; others are removed."""

    def _reconstitute_job(self, job_state: bytes) -> Appointment:
        state = _Reader(io.BytesIO(job_state)).load()
        if state["func"] != _FUNCTION or state["args"] != (state["id"],) or state["id"] not in JOBS or state["kwargs"]:
            raise ValueError(f"{state['id']!r} is no job of the service")
        state["jobstore"] = self
        job = Appointment.__new__(Appointment)
        job.__setstate__(state)
        job._scheduler = self._scheduler
        job._jobstore_alias = self._alias
        return job


class Scheduler(BaseScheduler):  # type: ignore[misc]
    """A scheduler that looks when it is told to, and sleeps in between as its service does."""

    def wakeup(self) -> None:
        """Nothing to do: it looks often enough."""

    def shutdown(self, wait: bool = True) -> None:
        """End the threads; ``wait`` until what they do has ended."""
        super().shutdown(wait)

    def look(self) -> None:
        """Begin what is due."""
        self._process_jobs()


def open_scheduler(service: Service, executor: BaseExecutor | None = None) -> Scheduler:
    """The jobs that are in the library's database; nothing runs until `Scheduler.look`."""
    made = Scheduler(timezone=UTC)
    # Its transactions read and write: on a server those that do not say so may only read.
    made.add_jobstore(Store(engine=service.library.database.engine.execution_options(writes=True)))
    # As many threads as jobs: none waits for another but for lichess and for the database.
    made.add_executor(executor or ThreadPoolExecutor(len(JOBS)))
    with service.library.database.spoken():
        made.start()
    return made


def next_run(appointment: Appointment) -> datetime | None:
    """When it is due; None if it is paused."""
    return cast(datetime | None, appointment.next_run_time)


def agree(scheduler: Scheduler, service: Service) -> None:
    """Make the jobs those of the settings.

    What is new and fetches runs at once, the other new jobs one after the other later. A job whose interval is another
    now keeps its next time if that is sooner, and one that has nothing to do any more goes.
    """
    now = datetime.fromtimestamp(service.clock.now(), UTC)
    for number, job in enumerate(JOBS.values()):
        there = scheduler.get_job(job.name)
        seconds = job.seconds(service.mine)
        if not seconds:
            if there is not None:
                scheduler.remove_job(job.name)
            continue
        trigger = IntervalTrigger(seconds=seconds, start_date=now, timezone=UTC)
        if there is None:
            scheduler.add_job(
                _FUNCTION,
                trigger,
                args=(job.name,),
                id=job.name,
                name=job.does,
                next_run_time=now + timedelta(seconds=0.0 if job.fetches else min(seconds, number * UPKEEP_SECONDS)),
                coalesce=True,
                misfire_grace_time=None,
                max_instances=1,
            )
        elif there.trigger.interval.total_seconds() != seconds:
            due = next_run(there)
            scheduler.modify_job(
                job.name,
                trigger=trigger,
                next_run_time=None if due is None else min(due, now + timedelta(seconds=seconds)),
            )


def mend(scheduler: Scheduler, service: Service) -> None:
    """Let jobs run now that are due later than one interval from now: the clock was put back."""
    now = datetime.fromtimestamp(service.clock.now(), UTC)
    for appointment in scheduler.get_jobs():
        due = next_run(appointment)
        if due is not None and due > now + appointment.trigger.interval + timedelta(seconds=60):
            log.warning("the clock was put back; %s runs now", appointment.id)
            trigger = IntervalTrigger(
                seconds=appointment.trigger.interval.total_seconds(), start_date=now, timezone=UTC
            )
            scheduler.modify_job(appointment.id, trigger=trigger, next_run_time=now)


def serve(service: Service, halt: Halt) -> None:
    """Run the jobs until ``halt`` is told, and then until they have stopped. Raises `LibraryError`."""
    global _at_work
    _at_work = service
    service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
    scheduler = open_scheduler(service)
    with service.library.database.spoken():
        agree(scheduler, service)
    failures = 0
    try:
        while not halt.is_told:
            try:
                with service.library.database.spoken():
                    mend(scheduler, service)
                    scheduler.look()
                failures = 0
            except LibraryError as error:
                # Mostly somebody writes for long.
                failures += 1
                log.warning("%s", error)
                if failures == MOST_FAILURES:
                    raise
            try:
                halt.wait(LOOK_SECONDS)
            except Stopped:
                break
    finally:
        service.stop()
        scheduler.shutdown(wait=True)
        _at_work = None
