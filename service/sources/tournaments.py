"""Arena and Swiss tournaments: fetched once, when they are over, so that nobody is read while he plays."""

from collections.abc import Callable

from service.archive import Archive
from service.runs import Outcome
from service.service import Service
from service.sources.asking import each, patiently, told
from service.times import Halt

KIND = "tournaments"

MOST_SHORT = 3
"""So often an answer with fewer games than the tournament is said to have had is asked for again in a later run."""

_MEANINGS = {404: "there is no such tournament"}


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The games of all tournaments of the settings that are over, into the depot and into the library."""
    archive = service.archive
    for kind, ids, ask in (
        ("tournament", service.mine.tournaments, archive.arena),
        ("swiss", service.mine.swiss, archive.swiss),
    ):
        for ident in each(ids, halt):
            with told(outcome, f"{kind} {ident}", _MEANINGS):
                _fetch_one(service, kind, ident, ask, halt, outcome)
    service.depot.index(service.depot.files(KIND), halt, outcome)


def _fetch_one(
    service: Service,
    kind: str,
    ident: str,
    ask: Callable[[str, Halt], tuple[bool, int | None]],
    halt: Halt,
    outcome: Outcome,
) -> None:
    archive: Archive = service.archive
    feed = f"{kind} {ident}"
    state = service.feeds.get(feed)
    if state.get("done"):
        outcome.counts["unchanged"] += 1
        return
    is_over, games = patiently(lambda: ask(ident, halt), halt)
    if not is_over:
        outcome.counts["running"] += 1
        return
    page = archive.tournament_games(kind, ident, halt)
    if page.games and len(page.games) >= state.get("games", 0):
        service.depot.put(KIND, f"{kind}-{ident}", (game.pgn for game in page.games))
    short = state.get("short", 0) + (page.broke is None and len(page.games) < (games or 0))
    is_done = page.broke is None and (len(page.games) >= (games or 0) or short >= MOST_SHORT)
    service.feeds.set(feed, {"games": max(len(page.games), state.get("games", 0)), "short": short, "done": is_done})
    outcome.counts["fetched"] += len(page.games)
    if page.broke is not None:
        raise page.broke
    if not is_done:
        outcome.problems.append(f"{feed}: {len(page.games):,} of {games:,} games came; asked for again later")
