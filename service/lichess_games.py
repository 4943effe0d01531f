"""What lichess keeps and gives away: finished games, which are on TV, studies, tournaments,
broadcasts.

Each question is one turn of `service.rate_lock`. A stream that breaks off gives the whole games before that, and says
so.
"""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, cast

import requests
from berserk.formats import JSON, FormatHandler
from berserk.session import Requestor
from pydantic import SecretStr

from lichess.api import LichessError, Refused, Unreachable
from lichess.http import Lines, Session, refusal, spoken_errors, user_agent
from service.clock import Halt
from service.rate_lock import Turns

PAGE_GAMES = 1000
"""Games asked for at a time, so that others get their turn: lichess sends 20 a second."""

MOST_IDS = 300
"""Games that can be asked for by their ids at once."""

MOST_ON_AIR = 30
"""Games of a channel of lichess TV that can be asked for."""

PATIENCE_SECONDS = 60.0
"""How long the next piece of an answer may take: lichess looks for old games before it sends the first."""

_FORM = {"pgnInJson": "true", "clocks": "true", "opening": "true"}


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game as lichess exports it."""

    id: str
    created: int
    """Milliseconds since 1970, by lichess's clock."""
    pgn: str


@dataclass(slots=True)
class Page:
    """What came in one answer."""

    games: list[FinishedGame] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=dict)
    """Games that came and are not over: id -> when it began."""
    broke: LichessError | None = None
    """Why there may be more than came; None if the answer came to its end."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a broadcast."""

    id: str
    name: str
    is_running: bool
    is_over: bool


class Archive:
    """One server, asked with a token or without; may be used by any number of threads."""

    def __init__(self, url: str, token: SecretStr | None, turns: Turns) -> None:
        """Nothing is asked yet."""
        self.url = url
        self._turns = turns
        self._session = Session(token, PATIENCE_SECONDS)
        self._session.headers["User-Agent"] = user_agent("")
        self._ask: Requestor[Any] = Requestor(self._session, url, JSON)

    def close(self) -> None:
        """Close what is idle."""
        self._session.close()

    # Users ----------------------------------------------------------------------------------------------------------

    def running(self, user: str, halt: Halt) -> dict[str, int]:
        """The games that a user plays now: id -> when it began (ms). Their moves are not asked for."""
        asked = {"ongoing": "true", "finished": "false", "moves": "false", "tags": "false", "max": str(MOST_IDS)}
        with self._turn(halt):
            lines = self._lines(f"/api/games/user/{user}", asked)
            return {str(game["id"]): int(game["createdAt"]) for game in lines if game is not None}

    def games(self, user: str, since: int, halt: Halt) -> Page:
        """The next `PAGE_GAMES` finished games of a user that began at ``since`` (ms) or later, the oldest first."""
        asked = {**_FORM, "since": str(since), "sort": "dateAsc", "max": str(PAGE_GAMES)}
        return self._games(f"/api/games/user/{user}", asked, halt)

    def by_ids(self, ids: list[str], halt: Halt) -> Page:
        """Those of these games, `MOST_IDS` at most, that are over."""
        return self._games("/api/games/export/_ids", dict(_FORM), halt, body=",".join(ids))

    def is_closed(self, user: str, halt: Halt) -> bool:
        """Whether an account exists but was closed. Raises `Refused` if there never was one."""
        with self._turn(halt):
            return bool(self._ask.get(f"/api/user/{user}").get("disabled"))

    # TV -------------------------------------------------------------------------------------------------------------

    def on_air(self, channel: str, halt: Halt) -> dict[str, int]:
        """Games that a channel of lichess TV shows now: id -> when each began (ms). Their moves are not asked for."""
        with self._turn(halt):
            lines = self._lines(f"/api/tv/{channel}", {"nb": str(MOST_ON_AIR), "moves": "false", "tags": "false"})
            return {str(game["id"]): int(game["createdAt"]) for game in lines if game is not None}

    # Studies --------------------------------------------------------------------------------------------------------

    def study_changed(self, study: str, halt: Halt) -> int:
        """When a study was changed last, seconds since 1970."""
        with self._turn(halt):
            answer = self._session.request("HEAD", f"{self.url}/api/study/{study}.pgn")
            if not answer.ok:
                raise refusal(answer)
            return int(parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp())

    def studies_of(self, user: str, halt: Halt) -> dict[str, int]:
        """The studies of a user that may be seen, and when each was changed last (s)."""
        with self._turn(halt):
            lines = self._lines(f"/api/study/by/{user}", {})
            return {str(study["id"]): int(study["updatedAt"]) // 1000 for study in lines if study is not None}

    def study(self, study: str, halt: Halt) -> tuple[str, LichessError | None]:
        """The chapters as PGN, and why there may be more of them."""
        return self._pgn(f"/api/study/{study}.pgn", halt)

    # Tournaments ----------------------------------------------------------------------------------------------------

    def arena(self, tournament: str, halt: Halt) -> tuple[bool, int | None]:
        """Whether an arena tournament is over, and how many games it had, if lichess says so."""
        with self._turn(halt):
            found = self._ask.get(f"/api/tournament/{tournament}")
        return bool(found.get("isFinished")), (found.get("stats") or {}).get("games")

    def swiss(self, tournament: str, halt: Halt) -> tuple[bool, int | None]:
        """The same of a Swiss tournament."""
        with self._turn(halt):
            found = self._ask.get(f"/api/swiss/{tournament}")
        return found.get("status") == "finished", (found.get("stats") or {}).get("games")

    def tournament_games(self, kind: str, tournament: str, halt: Halt) -> Page:
        """All games; ``kind`` is ``tournament`` or ``swiss``."""
        return self._games(f"/api/{kind}/{tournament}/games", dict(_FORM), halt)

    # Broadcasts -----------------------------------------------------------------------------------------------------

    def rounds(self, broadcast: str, halt: Halt) -> list[Round]:
        """The rounds of a broadcast."""
        with self._turn(halt):
            found = self._ask.get(f"/api/broadcast/{broadcast}")
            return [
                Round(
                    str(one["id"]),
                    str(one["name"]),
                    is_running=bool(one.get("ongoing")),
                    is_over=bool(one.get("finishedAt") or one.get("finished")),
                )
                for one in found["rounds"]
            ]

    def round(self, ident: str, halt: Halt) -> tuple[str, LichessError | None]:
        """The games of a round as PGN, and why there may be more of them."""
        return self._pgn(f"/api/broadcast/round/{ident}.pgn", halt)

    def round_stream(self, ident: str, halt: Halt) -> Iterator[str | None]:
        """The games of a running round, each again whenever it changes; None for a sign of life.

        The turn ends when the stream is open: lichess asks everybody to listen rather than to ask again and again.
        """
        with self._turn(halt):
            chunks = cast(
                Generator[bytes],
                self._ask.get(f"/api/stream/broadcast/round/{ident}.pgn", fmt=_Bytes(), stream=True),
            )
        with spoken_errors(), closing(chunks):
            waiting = b""
            for chunk in chunks:
                whole, waiting = whole_games(waiting + chunk)
                if not whole:
                    yield None
                yield from whole

    # How ------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _turn(self, halt: Halt) -> Iterator[None]:
        with self._turns.turn(halt), spoken_errors():
            yield

    def _lines(self, path: str, asked: dict[str, str]) -> Generator[dict[str, Any] | None]:
        return cast(Generator[dict[str, Any] | None], self._ask.get(path, params=asked, fmt=Lines(), stream=True))

    def _games(self, path: str, asked: dict[str, str], halt: Halt, body: str | None = None) -> Page:
        page = Page()

        def read() -> None:
            if body is None:
                lines = self._lines(path, asked)
            else:
                lines = cast(
                    Generator[dict[str, Any] | None],
                    # berserk's type of a body is a form; requests sends a text as it is.
                    self._ask.post(path, params=asked, data=cast(Any, body), fmt=Lines(), stream=True),
                )
            with closing(lines):
                for game in lines:
                    if game is not None:
                        halt.check()
                        ident, created = str(game["id"]), int(game["createdAt"])
                        if game["status"] in ("created", "started"):
                            page.running[ident] = created
                        else:
                            page.games.append(FinishedGame(ident, created, str(game["pgn"]).strip()))

        page.broke = self._whole(read, halt)
        return page

    def _pgn(self, path: str, halt: Halt) -> tuple[str, LichessError | None]:
        parts: list[bytes] = []

        def read() -> None:
            chunks = cast(Generator[bytes], self._ask.get(path, fmt=_Bytes(), stream=True))
            with closing(chunks):
                for chunk in chunks:
                    halt.check()
                    parts.append(chunk)

        broke = self._whole(read, halt)
        data = b"".join(parts)
        if broke is None and _ENDED.search(data):
            return data.decode("utf-8", "replace"), None
        games, _ = whole_games(data)
        return "\n\n".join([*games, ""]), broke or Unreachable(f"{path} broke off in the middle of a game")

    def _whole(self, read: Callable[[], None], halt: Halt) -> LichessError | None:
        """Read; an answer that breaks off is no error but an answer. What lichess refuses is one."""
        try:
            with self._turn(halt):
                read()
        except Refused:
            raise
        except LichessError as error:
            return error
        return None


class _Bytes(FormatHandler[Any]):
    """PGN as it comes."""

    def __init__(self) -> None:
        super().__init__("application/x-chess-pgn")

    def parse(self, response: requests.Response) -> Any:
        return response.content

    def parse_stream(self, response: requests.Response) -> Generator[Any]:
        try:
            yield from response.iter_content(None)
        finally:
            response.close()

    def handle(self, response: requests.Response, is_stream: bool, converter: Any = None) -> Any:
        return self.parse_stream(response) if is_stream else self.parse(response)


_ENDED = re.compile(rb"(^|\s)(1-0|0-1|1/2-1/2|\*)\s*$|^\s*$")
_END = re.compile(rb"(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)[ \t]*\r?\n[ \t]*\r?\n(?=\s*(?:\[|$))")
"""A result and an empty line, and the tags of the next game if there is more; a comment may have the first two."""


def whole_games(data: bytes) -> tuple[list[str], bytes]:
    """The games of a PGN text that are there to their end, and the rest."""
    games = []
    at = 0
    for found in _END.finditer(data):
        games.append(data[at : found.end()].decode("utf-8", "replace").strip())
        at = found.end()
    return games, data[at:]
