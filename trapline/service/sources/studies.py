"""Studies, fetched when they have changed."""

from lichess.studies import MEANINGS
from trapline.service.service import Service
from trapline.service.sources.retry import record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

KIND = "studies"

_MEANINGS = {status: str(meaning) for status, meaning in MEANINGS.items()}


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index all studies of the settings that have changed."""
    lichess = service.lichess_games
    changed: dict[str, int] = {}
    for user in until_stopped(service.mine.studies_of, stop_flag):
        with record_errors(outcome, f"studies of {user}", {404: "there is no such user"}):
            changed |= with_retries(stop_flag, lichess.studies_of, user)
    for study in until_stopped(service.mine.studies, stop_flag):
        if study not in changed:
            with record_errors(outcome, f"study {study}", _MEANINGS):
                changed[study] = with_retries(stop_flag, lichess.study_changed, study)
    for study in until_stopped(sorted(changed), stop_flag):
        feed = f"study {study}"
        if service.source_state.get(feed).get("changed") == changed[study]:
            outcome.counts["unchanged"] += 1
            continue
        with record_errors(outcome, feed, _MEANINGS):
            text, broke = lichess.study(study, stop_flag)
            if text.strip():
                service.game_files.put(KIND, study, [text])
            if broke is not None:
                raise broke
            outcome.counts["fetched"] += 1
            service.source_state.set(feed, {"changed": changed[study]})
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)
