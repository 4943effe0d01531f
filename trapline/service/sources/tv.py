"""Games of lichess TV: noted while they run and fetched when they are over, so that no running game is read."""

from datetime import UTC, datetime

from trapline.service.games.lichess_games import MOST_IDS
from trapline.service.service import Service
from trapline.service.sources.retry import by_ids, note_bad, record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

KIND = "tv"

FEED = "tv"
"""Name of its state; ``waiting`` has the games that were on: id -> start, milliseconds since 1970."""


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the games that were on at an earlier run and are over."""
    lichess = service.lichess_games
    waiting: dict[str, int] = service.source_state.get(FEED).get("waiting", {})
    before = sorted(waiting)
    for channel in until_stopped(service.mine.tv, stop_flag):
        with record_errors(outcome, f"channel {channel}", {404: "there is no such channel"}):
            on_air = with_retries(stop_flag, lichess.on_air, channel)
            waiting |= on_air
            service.source_state.set(FEED, {"waiting": waiting})
    for start in range(0, len(before), MOST_IDS):
        some = before[start : start + MOST_IDS]
        with record_errors(outcome, "games that were on"):
            page = by_ids(lichess, some, stop_flag)
            note_bad(outcome, "games that were on", page.bad)
            if page.games:
                oldest = min(page.games, key=lambda game: (game.created, game.id))
                begun = datetime.fromtimestamp(oldest.created / 1000, UTC)
                service.game_files.put(KIND, f"{begun:%Y%m%dT%H%M%S}-{oldest.id}", (game.pgn for game in page.games))
                outcome.counts["fetched"] += len(page.games)
            # Games that lichess does not have any more were aborted.
            waiting = {game: began for game, began in waiting.items() if game not in some or game in page.running}
            service.source_state.set(FEED, {"waiting": waiting})
    outcome.counts["running"] += len(waiting)
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)
