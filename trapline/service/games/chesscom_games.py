"""Client for the archive of finished games that chess.com publishes: its months, and the games of a month as PGN.

The interface is described at https://www.chess.com/news/view/published-data-api: it needs no token, wants to know who
asks (User-Agent), and may be asked as often as one likes as long as requests follow each other.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass

from lichess.api import Unreachable
from lichess.http import LONGEST_ANSWER, NOT_MODIFIED, PIECE, Session, refusal, translate_errors, user_agent
from trapcore.io.bounded_numbers import whole_number
from trapline.service.games.lichess_games import pieces
from trapline.service.state.clock import StopFlag
from trapline.service.state.locks import RateLock

READ_TIMEOUT_SECONDS = 60.0
"""Time-out for the next piece of an answer: a month of thousands of games takes a while."""

SERVER = "chess.com"

_MONTH = re.compile(r"/games/(\d{4})/(\d{2})/?$")


@dataclass(frozen=True, slots=True)
class Month:
    """Games of a month."""

    pgn: str
    """In the order of their ends."""
    version: Mapping[str, str]
    """Headers that ask for the month only if it has changed; empty if the server names no version."""


class ChesscomGames:
    """Client for one server; may be used by any number of threads."""

    def __init__(self, url: str, rate_lock: RateLock) -> None:
        """``rate_lock`` is held during each request."""
        self.url = url.rstrip("/")
        self._rate_lock = rate_lock
        self._session = Session(None, READ_TIMEOUT_SECONDS)
        self._session.headers["User-Agent"] = user_agent("")

    def close(self) -> None:
        """Close the idle connections."""
        self._session.close()

    def months(self, user: str, stop_flag: StopFlag) -> list[str]:
        """Months in which a player finished games, ascending: ``2026/11``. Raises `LichessError`, a `Refused` with
        status 404 for a name that does not exist."""
        with self._request(stop_flag):
            answer = self._session.get(self._path(user, "archives"))
            if not answer.ok:
                raise refusal(answer, SERVER)
            found = [_MONTH.search(str(address)) for address in answer.json()["archives"]]
        return sorted(f"{each[1]}/{each[2]}" for each in found if each is not None)

    def month(self, user: str, month: str, known: Mapping[str, str], stop_flag: StopFlag) -> Month | None:
        """Games that a player finished in a month; None if they are those of the ``known`` version.

        Raises `LichessError`.
        """
        with self._request(stop_flag):
            answer = self._session.get(self._path(user, f"{month}/pgn"), stream=True, headers=dict(known))
            if answer.status_code == NOT_MODIFIED:
                answer.close()
                return None
            if not answer.ok:
                raise refusal(answer, SERVER)
            with closing(answer):
                text = b"".join(pieces(answer.iter_content(PIECE), LONGEST_ANSWER, f"{SERVER} {month}", stop_flag))
        length = answer.headers.get("Content-Length", "")
        packed = "Content-Encoding" in answer.headers
        if length and not packed and len(text) < whole_number(length):
            raise Unreachable(f"{SERVER} broke off in the middle of {month}")
        return Month(text.decode("utf-8", "replace"), _version_of(answer.headers))

    @contextmanager
    def _request(self, stop_flag: StopFlag) -> Iterator[None]:
        with self._rate_lock.hold(stop_flag), translate_errors(SERVER):
            yield

    def _path(self, user: str, what: str) -> str:
        # Names with capitals are redirected, and no redirection is followed here.
        return f"{self.url}/pub/player/{user.lower()}/games/{what}"


def _version_of(headers: Mapping[str, str]) -> Mapping[str, str]:
    for given, asked in (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")):
        if value := headers.get(given):
            return {asked: value}
    return {}
