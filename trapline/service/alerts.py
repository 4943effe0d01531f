"""Alerts: a JSON object by POST to an address of the settings when a job fails, and when it is well again.

Each is sent once: the library stores the last alert of a job.
"""

import logging
from typing import Any

import requests

from lichess.http import user_agent
from trapline.service.jobs import JobResult
from trapline.service.service import Service
from trapline.service.state.clock import stamp

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 10.0


def alert(service: Service, job: str, result: JobResult) -> None:
    """Report a run if it went wrong and the one before did not, or the other way round. Raises `LibraryError`.

    An alert that cannot be sent is logged, and sent with the next run.
    """
    address = service.mine.alert_url
    if not address:
        return
    problems = [*([result.error] if result.has_failed and result.error else []), *result.outcome.problems]
    state = f"alert {job}"
    was_wrong = bool(service.source_state.get(state).get("wrong"))
    if bool(problems) == was_wrong:
        return
    content: dict[str, Any] = {
        "service": service.library.name,
        "job": job,
        "ok": not problems,
        "problems": problems[:20],
        "at": stamp(service.clock.now()),
    }
    try:
        answer = requests.post(
            address,
            json=content,
            headers={"User-Agent": user_agent("")},
            timeout=TIMEOUT_SECONDS,
            allow_redirects=False,
        )
        answer.raise_for_status()
    except requests.RequestException as error:
        # The address may contain a secret.
        log.warning("an alert of the job %s could not be sent: %s", job, type(error).__name__)
        return
    service.source_state.set(state, {"wrong": bool(problems)})
