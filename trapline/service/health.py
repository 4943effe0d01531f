"""Health and metrics of the service, for `trapcore.io.status_server`, from the log of its jobs."""

import time

from trapcore.errors import LibraryError
from trapcore.io.status_server import Metric
from trapline.service.jobs import JOBS
from trapline.service.schedule import Schedule
from trapline.service.service import Service
from trapline.service.state.job_log import STOPPED

OVERDUE_SECONDS = 900.0
"""A job that is due for so long and does not run is a problem."""


def health(service: Service, schedule: Schedule) -> dict[str, object]:
    """Health as a JSON object: ``problems`` are sentences; without any it is well."""
    problems: list[str] = []
    jobs: dict[str, object] = {}
    try:
        appointments = schedule.appointments()
        running = service.locks.holders()
        for name in JOBS:
            appointment = appointments.get(name)
            if appointment is None:
                continue
            last = next(iter(service.job_log.log(name, 1)), None)
            runs = f"job {name}" in running
            jobs[name] = {"running": runs, "paused": appointment.paused, "last": last and last.content()}
            late = service.clock.now() - appointment.due
            if last is not None and last.error is not None and last.error != STOPPED and not runs:
                problems.append(f"{name}: {last.error}")
            elif last is not None and last.counts.get("failed"):
                problems.append(f"{name}: {last.counts['failed']} of its sources failed")
            if not appointment.paused and late > OVERDUE_SECONDS and not runs:
                problems.append(f"{name} is due for {late / 60:.0f} minutes and does not run")
    except LibraryError as error:
        problems.append(str(error))
    live = service.live
    streams = {"open": live.open_streams, "wanted": live.wanted_streams} if live is not None else {}
    return {"ok": not problems, "problems": problems, "jobs": jobs, "broadcast_streams": streams}


def metrics(service: Service, schedule: Schedule) -> list[Metric]:
    """Metrics of the service and of the last run of each job."""
    found = health(service, schedule)
    values = [
        Metric("trapline_service_well", "1 if nothing is wrong, else 0", float(bool(found["ok"]))),
        Metric("trapline_service_time_seconds", "now, since 1970", time.time()),
    ]
    streams = found["broadcast_streams"]
    if isinstance(streams, dict):
        for state, count in streams.items():
            values.append(
                Metric("trapline_service_broadcast_streams", "streams of broadcasts", count, {"state": state})
            )
    for name in JOBS:
        last = next(iter(service.job_log.log(name, 1)), None)
        if last is None:
            continue
        failed = last.error is not None and last.error != STOPPED
        values.append(Metric("trapline_service_job_failed", "1 if the last run failed", float(failed), {"job": name}))
        for what, count in last.counts.items():
            if isinstance(count, int):
                labels = {"job": name, "what": what}
                values.append(Metric("trapline_service_job_count", "figures of the last run", count, labels))
    return sorted(values, key=lambda metric: metric.name)
