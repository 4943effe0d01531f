"""Broadcasts: finished rounds are fetched once, running ones are followed as long as the service runs."""

from trapline.service.service import Service
from trapline.service.sources.retry import record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

KIND = "broadcasts"

_PRIVATE = "it is private; that needs a contributor's token with the scope study:read"
_MEANINGS = {401: _PRIVATE, 403: _PRIVATE, 404: "there is no such broadcast"}


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the rounds of all broadcasts of the settings."""
    lichess = service.lichess_games
    running: dict[str, set[str]] = {}
    for broadcast in until_stopped(service.mine.broadcasts, stop_flag):
        with record_errors(outcome, f"broadcast {broadcast}", _MEANINGS):
            for one in with_retries(stop_flag, lichess.rounds, broadcast):
                feed = f"round {one.id}"
                if one.is_running and not one.is_over:
                    running.setdefault(broadcast, set()).add(one.id)
                    outcome.counts["running"] += 1
                elif one.is_over and not service.source_state.get(feed).get("done"):
                    text, broke = lichess.round(one.id, stop_flag)
                    if text.strip():
                        service.game_files.put(KIND, one.id, [text])
                    if broke is not None:
                        raise broke
                    outcome.counts["fetched"] += 1
                    service.source_state.set(feed, {"done": True})
    if service.live is not None:
        service.live.follow(running)
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)
