"""Arena and Swiss tournaments: fetched once, when they are over, so that nobody is read while he plays."""

from collections.abc import Callable

from service.clock import Halt
from service.job_log import Outcome
from service.lichess_games import Archive
from service.service import Service
from service.sources.retry import each, patiently, told

KIND = "tournaments"

MOST_SHORT = 3
"""So often an answer with fewer games than the tournament is said to have had is asked for again in a later run."""

_MEANINGS = {404: "there is no such tournament"}


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The games of all tournaments of the settings that are over, into the depot and into the library."""
    archive = service.lichess_games
    for kind, ids, ask in (
        ("tournament", service.mine.tournaments, archive.arena),
        ("swiss", service.mine.swiss, archive.swiss),
    ):
        for ident in each(ids, halt):
            with told(outcome, f"{kind} {ident}", _MEANINGS):
                _fetch_one(service, kind, ident, ask, halt, outcome)
    service.game_files.index(service.game_files.files(KIND), halt, outcome)


def _fetch_one(
    service: Service,
    kind: str,
    ident: str,
    ask: Callable[[str, Halt], tuple[bool, int | None]],
    halt: Halt,
    outcome: Outcome,
) -> None:
    archive: Archive = service.lichess_games
    feed = f"{kind} {ident}"
    state = service.source_state.get(feed)
    if state.get("done"):
        outcome.counts["unchanged"] += 1
        return
    is_over, games = patiently(lambda: ask(ident, halt), halt)
    if not is_over:
        outcome.counts["running"] += 1
        return
    page = archive.tournament_games(kind, ident, halt)
    if page.games and len(page.games) >= state.get("games", 0):
        service.game_files.put(KIND, f"{kind}-{ident}", (game.pgn for game in page.games))
    short = state.get("short", 0) + (page.broke is None and len(page.games) < (games or 0))
    is_done = page.broke is None and (len(page.games) >= (games or 0) or short >= MOST_SHORT)
    service.source_state.set(
        feed, {"games": max(len(page.games), state.get("games", 0)), "short": short, "done": is_done}
    )
    outcome.counts["fetched"] += len(page.games)
    if page.broke is not None:
        raise page.broke
    if not is_done:
        outcome.problems.append(f"{feed}: {len(page.games):,} of {games:,} games came; asked for again later")
