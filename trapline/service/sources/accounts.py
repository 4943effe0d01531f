"""Latest finished games of one account, on request, as the pages need them."""

from lichess.api import LichessError, Refused
from trapline.service.service import Service
from trapline.service.sources.chesscom import NOBODY, games_of_month
from trapline.service.sources.retry import with_retries
from trapline.service.sources.users import explain_refusal
from trapline.service.state.clock import StopFlag

MOST_GAMES = 1000
"""Most games in one go: what one request to lichess may ask for here."""


def latest_games(service: Service, site: str, name: str, most: int, stop_flag: StopFlag) -> list[str]:
    """The latest games of an account as PGN, the newest first, ``most`` of them, 1 to `MOST_GAMES`; none is stored.

    ``site`` is ``lichess`` or ``chess.com``. Raises `LichessError`, which says if there is no such account, and
    `Stopped`.
    """
    if site == "chess.com":
        return _of_chesscom(service, name, most, stop_flag)
    with explain_refusal(service.lichess_games, name, stop_flag):
        page = with_retries(stop_flag, service.lichess_games.latest, name, most)
    if page.broke is not None and not page.games:
        raise page.broke
    return [game.pgn for game in page.games]


def _of_chesscom(service: Service, name: str, most: int, stop_flag: StopFlag) -> list[str]:
    chesscom = service.chesscom_games
    found: list[str] = []
    try:
        for month in reversed(with_retries(stop_flag, chesscom.months, name)):
            found += games_of_month(chesscom, name, month, stop_flag)[::-1]
            if len(found) >= most:
                break
    except Refused as error:
        reason = NOBODY.get(error.status)
        if reason is None:
            raise
        raise Refused(f"{name}: {reason} (chess.com answered {error.status})", error.status) from None
    except LichessError as error:
        if not found:
            raise error
    return found[:most]
