"""The games of lichess TV: noted while they run, fetched when they are over, so that nobody is read while he plays."""

from datetime import UTC, datetime

from service.archive import MOST_IDS
from service.runs import Outcome
from service.service import Service
from service.sources.asking import by_ids, each, patiently, told
from service.times import Halt

KIND = "tv"

FEED = "tv"
"""Its state: ``waiting``, games that were on, id -> when each began (ms)."""


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The games that were on at an earlier look and are over, into the depot and into the library."""
    archive = service.archive
    waiting: dict[str, int] = service.feeds.get(FEED).get("waiting", {})
    before = sorted(waiting)
    for channel in each(service.mine.tv, halt):
        with told(outcome, f"channel {channel}", {404: "there is no such channel"}):
            on_air = patiently(lambda name=channel: archive.on_air(name, halt), halt)  # type: ignore[misc]
            waiting |= on_air
            service.feeds.set(FEED, {"waiting": waiting})
    for start in range(0, len(before), MOST_IDS):
        some = before[start : start + MOST_IDS]
        with told(outcome, "games that were on"):
            page = by_ids(archive, some, halt)
            if page.games:
                oldest = min(page.games, key=lambda game: (game.created, game.id))
                begun = datetime.fromtimestamp(oldest.created / 1000, UTC)
                service.depot.put(KIND, f"{begun:%Y%m%dT%H%M%S}-{oldest.id}", (game.pgn for game in page.games))
                outcome.counts["fetched"] += len(page.games)
            # What lichess does not have any more was aborted.
            waiting = {game: began for game, began in waiting.items() if game not in some or game in page.running}
            service.feeds.set(FEED, {"waiting": waiting})
    outcome.counts["running"] += len(waiting)
    service.depot.index(service.depot.files(KIND), halt, outcome)
