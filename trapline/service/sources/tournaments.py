"""Arena and Swiss tournaments, fetched once when they are over, so that no running game is read."""

from trapline.service.service import Service
from trapline.service.sources.retry import note_bad, record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

KIND = "tournaments"

MOST_SHORT = 3
"""Later runs that request the games again after an answer with fewer games than the tournament had."""

_MEANINGS = {404: "there is no such tournament"}


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the games of all tournaments of the settings that are over."""
    for kind, ids in (("tournament", service.mine.tournaments), ("swiss", service.mine.swiss)):
        for ident in until_stopped(ids, stop_flag):
            with record_errors(outcome, f"{kind} {ident}", _MEANINGS):
                _fetch_one(service, kind, ident, stop_flag, outcome)
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)


def _fetch_one(service: Service, kind: str, ident: str, stop_flag: StopFlag, outcome: Outcome) -> None:
    lichess = service.lichess_games
    feed = f"{kind} {ident}"
    state = service.source_state.get(feed)
    if state.get("done"):
        outcome.counts["unchanged"] += 1
        return
    is_over, games = with_retries(stop_flag, lichess.tournament, kind, ident)
    if not is_over:
        outcome.counts["running"] += 1
        return
    page = lichess.tournament_games(kind, ident, stop_flag)
    note_bad(outcome, feed, page.bad)
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
        outcome.problems.append(f"{feed}: {len(page.games):,} of {games:,} games came; requested again later")
