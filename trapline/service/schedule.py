"""Schedule of the jobs, stored in the library's table ``feeds``: a row ``job NAME`` for each job.

All services of a library share these rows. A service that runs a job first takes the run from its row, so no other
service runs it too. A run that was missed, because no service was running or the machine slept, is made up for once;
after that the job is due in its interval as before. Times are UTC seconds, so no summer time moves them, and a clock
that was put back shows in a job that is due later than one interval from now.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy import Connection, delete

from db.storage.tables import FeedRow
from trapline.service.jobs import JOBS
from trapline.service.service import Service
from trapline.service.state.source_state import read_states, write_state

log = logging.getLogger(__name__)

STAGGER_SECONDS = 600.0
"""Distance between the first runs of the jobs that fetch nothing: at once they would only slow each other down."""

TOLERANCE_SECONDS = 60.0
"""Further than an interval and this much ahead, a job is due too late: the clock was put back."""

_PREFIX = "job "


@dataclass(frozen=True, slots=True)
class Appointment:
    """Due time and interval of one job."""

    due: float
    """Seconds since 1970, UTC."""
    seconds: float
    """Interval between two runs."""
    paused: bool = False

    def is_due(self, now: float) -> bool:
        """Whether the job is to run now."""
        return not self.paused and (self.due <= now or self.is_too_late(now))

    def is_too_late(self, now: float) -> bool:
        """Whether the job is due so late that the clock must have been put back."""
        return self.due > now + self.seconds + TOLERANCE_SECONDS

    def after(self, now: float) -> "Appointment":
        """The first appointment after ``now``, a whole number of intervals later."""
        start = now if self.is_too_late(now) else self.due
        trigger = IntervalTrigger(seconds=self.seconds, start_date=datetime.fromtimestamp(start, UTC))
        # The trigger also fires at the moment that it is given.
        following = trigger.get_next_fire_time(None, datetime.fromtimestamp(now, UTC) + datetime.resolution)
        return replace(self, due=following.timestamp())


class Schedule:
    """Schedule of one library, shared by all services that work for it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._database = service.library.database

    def appointments(self) -> dict[str, Appointment]:
        """The appointments of all scheduled jobs by name. Raises `LibraryError`."""
        with self._database.read() as connection:
            return _read(connection)

    def update(self) -> None:
        """Bring the schedule in line with the settings. Raises `LibraryError`.

        A new job that fetches is due at once, the other new jobs one after the other later. A known job keeps its next
        time if that is within its interval. A job that has nothing to do any more is removed.
        """
        now = self._service.clock.now()
        with self._database.write() as connection:
            stored = _read(connection)
            for number, job in enumerate(JOBS.values()):
                seconds = job.seconds(self._service.mine)
                first = Appointment(now if job.fetches else now + number * STAGGER_SECONDS, seconds)
                before = stored.get(job.name, first)
                if seconds:
                    due = min(before.due, now + seconds)
                    _write(connection, job.name, replace(before, due=due, seconds=seconds))
                else:
                    connection.execute(delete(FeedRow).where(FeedRow.name == _PREFIX + job.name))

    def take_due(self, names: Collection[str] = JOBS) -> list[str]:
        """Those of the jobs ``names`` that are due, the longest overdue first; each is given to one caller only.

        Raises `LibraryError`.
        """
        now = self._service.clock.now()
        if not any(name in names and one.is_due(now) for name, one in self.appointments().items()):
            # Most of the time: reading does not wait for another program that writes.
            return []
        with self._database.write() as connection:
            due = {name: one for name, one in _read(connection).items() if name in names and one.is_due(now)}
            for name, one in due.items():
                if one.is_too_late(now):
                    log.warning("the clock was put back; %s runs now", name)
                _write(connection, name, one.after(now))
        return sorted(due, key=lambda name: due[name].due)

    def set_paused(self, name: str, paused: bool) -> bool:
        """Pause or resume a job; False if it is not scheduled. Raises `LibraryError`."""
        with self._database.write() as connection:
            before = _read(connection).get(name)
            if before is None:
                return False
            after = before if paused else before.after(self._service.clock.now())
            _write(connection, name, replace(after, paused=paused))
        return True


def _read(connection: Connection) -> dict[str, Appointment]:
    found = {}
    for key, state in read_states(connection, _PREFIX).items():
        name = key.removeprefix(_PREFIX)
        appointment = _appointment(state)
        if name in JOBS and appointment is not None:
            found[name] = appointment
    return found


def _write(connection: Connection, name: str, appointment: Appointment) -> None:
    write_state(connection, _PREFIX + name, asdict(appointment))


def _appointment(state: Mapping[str, Any]) -> Appointment | None:
    """The appointment in a row; None for one that this module did not write."""
    try:
        made = Appointment(float(state["due"]), float(state["seconds"]), bool(state["paused"]))
        made.after(made.due)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        # The last two: a time that no calendar has.
        return None
    return made if made.seconds > 0 else None
