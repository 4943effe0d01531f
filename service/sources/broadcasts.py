"""Broadcasts: rounds that are over are fetched once, running ones are followed as long as the service runs."""

from service.clock import Halt
from service.job_log import Outcome
from service.service import Service
from service.sources.retry import each, patiently, told

KIND = "broadcasts"

_PRIVATE = "it is private; that needs a contributor's token with the scope study:read"
_MEANINGS = {401: _PRIVATE, 403: _PRIVATE, 404: "there is no such broadcast"}


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The rounds of all broadcasts of the settings, into the depot and into the library."""
    archive = service.lichess_games
    running: list[str] = []
    for broadcast in each(service.mine.broadcasts, halt):
        with told(outcome, f"broadcast {broadcast}", _MEANINGS):
            for one in patiently(lambda b=broadcast: archive.rounds(b, halt), halt):  # type: ignore[misc]
                feed = f"round {one.id}"
                if one.is_running and not one.is_over:
                    running.append(one.id)
                    outcome.counts["running"] += 1
                elif one.is_over and not service.source_state.get(feed).get("done"):
                    text, broke = archive.round(one.id, halt)
                    if text.strip():
                        service.game_files.put(KIND, one.id, [text])
                    if broke is not None:
                        raise broke
                    outcome.counts["fetched"] += 1
                    service.source_state.set(feed, {"done": True})
    if service.live is not None:
        service.live.follow(running)
    service.game_files.index(service.game_files.files(KIND), halt, outcome)
