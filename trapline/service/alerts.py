"""Alerts: a JSON object by POST to an address of the settings when a job fails, and when it is well again.

Each is sent once: the library stores the last alert of a job.
"""

import logging

import requests

from trapline.service.digest_senders import post_json
from trapline.service.jobs import JobResult
from trapline.service.service import Service
from trapline.service.state.clock import stamp

log = logging.getLogger(__name__)


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
    content = {
        "service": service.library.name,
        "job": job,
        "ok": not problems,
        "problems": problems[:20],
        "at": stamp(service.clock.now()),
    }
    try:
        post_json(address, content)
    except requests.RequestException as error:
        # The address may contain a secret.
        log.warning("an alert of the job %s could not be sent: %s", job, type(error).__name__)
        return
    service.source_state.set(state, {"wrong": bool(problems)})
