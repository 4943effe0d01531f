"""Finished games of players at chess.com, month by month; the months that are over are fetched once."""

from datetime import UTC, datetime, timedelta

from trapline.service.games.chesscom_games import ChesscomGames, Month
from trapline.service.games.lichess_games import whole_games
from trapline.service.service import Service
from trapline.service.sources.retry import record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

KIND = "chesscom"

NOBODY = {404: "there is no such player at chess.com, or the account was closed"}
"""What an answer with this status means."""


def games_of_month(chesscom: ChesscomGames, user: str, month: str, stop_flag: StopFlag) -> list[str]:
    """Games that a player finished in a month, as PGN, in the order of their ends. Raises `LichessError`."""
    found = with_retries(stop_flag, chesscom.month, user, month, {})
    return [] if found is None else _games(found)


def _games(month: Month) -> list[str]:
    return whole_games(month.pgn.rstrip().encode() + b"\n\n")[0]


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the new games of all players of the settings."""
    chesscom = service.chesscom_games
    now = datetime.fromtimestamp(service.clock.now(), UTC)
    first = f"{now - timedelta(days=min(service.mine.history_days, now.toordinal() - 1)):%Y/%m}"
    for user in until_stopped(service.mine.chesscom_users, stop_flag):
        with record_errors(outcome, f"chess.com {user}", NOBODY, server="chess.com"):
            feed = f"chesscom {user.lower()}"
            state = service.source_state.get(feed)
            done: list[str] = state.get("done", [])
            versions: dict[str, dict[str, str]] = state.get("versions", {})
            months = with_retries(stop_flag, chesscom.months, user)
            for month in (each for each in months if each >= first and each not in done):
                stop_flag.check()
                found = with_retries(stop_flag, chesscom.month, user, month, versions.get(month, {}))
                if found is not None and (games := _games(found)):
                    service.game_files.put(KIND, f"{user.lower()}/{month.replace('/', '-')}", games)
                    outcome.counts["fetched"] += len(games)
                if month < f"{now:%Y/%m}":
                    done = [*done, month]
                    versions.pop(month, None)
                elif found is not None:
                    versions[month] = dict(found.version)
                service.source_state.set(feed, {"done": done, "versions": versions})
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)
