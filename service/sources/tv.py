"""The games of lichess TV: noted while they run, fetched when they are over, so that nobody is read while he plays."""

from datetime import UTC, datetime

from service.clock import Halt
from service.job_log import Outcome
from service.lichess_games import MOST_IDS
from service.service import Service
from service.sources.retry import by_ids, each, patiently, told

KIND = "tv"

FEED = "tv"
"""Its state: ``waiting``, games that were on, id -> when each began (ms)."""


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The games that were on at an earlier look and are over, into the depot and into the library."""
    archive = service.lichess_games
    waiting: dict[str, int] = service.source_state.get(FEED).get("waiting", {})
    before = sorted(waiting)
    for channel in each(service.mine.tv, halt):
        with told(outcome, f"channel {channel}", {404: "there is no such channel"}):
            on_air = patiently(lambda name=channel: archive.on_air(name, halt), halt)  # type: ignore[misc]
            waiting |= on_air
            service.source_state.set(FEED, {"waiting": waiting})
    for start in range(0, len(before), MOST_IDS):
        some = before[start : start + MOST_IDS]
        with told(outcome, "games that were on"):
            page = by_ids(archive, some, halt)
            if page.games:
                oldest = min(page.games, key=lambda game: (game.created, game.id))
                begun = datetime.fromtimestamp(oldest.created / 1000, UTC)
                service.game_files.put(KIND, f"{begun:%Y%m%dT%H%M%S}-{oldest.id}", (game.pgn for game in page.games))
                outcome.counts["fetched"] += len(page.games)
            # What lichess does not have any more was aborted.
            waiting = {game: began for game, began in waiting.items() if game not in some or game in page.running}
            service.source_state.set(FEED, {"waiting": waiting})
    outcome.counts["running"] += len(waiting)
    service.game_files.index(service.game_files.files(KIND), halt, outcome)
