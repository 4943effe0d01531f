"""Client for lichess's game exports: finished games, TV, studies, tournaments and broadcasts.

Each request is made under the lock of `trapline.service.state.locks`. A stream that breaks off gives the complete
games before that, and its error.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, cast

import requests
from berserk.formats import JSON, FormatHandler
from berserk.session import Requestor
from pydantic import SecretStr

from lichess.api import LichessError, Refused, Unreachable
from lichess.http import (
    LONGEST_ANSWER,
    LONGEST_LINE,
    PIECE,
    PLAIN_TEXT,
    Lines,
    Session,
    refusal,
    translate_errors,
    user_agent,
)
from lichess.parse import ident, moment, text
from trapline.service.state.clock import StopFlag
from trapline.service.state.locks import RateLock

PAGE_GAMES = 1000
"""Games in one request, so that other processes can send theirs in between: lichess sends 20 games a second."""

MOST_IDS = 300
"""Most ids in one request."""

MOST_ON_AIR = 30
"""Most games of a channel of lichess TV in one request."""

MOST_LINES = 20_000
"""Most games, or lines that are none, of one answer; only large tournaments have more than `PAGE_GAMES`."""

MOST_EMPTY = 100_000
"""Most empty lines of one answer, which a server may send to keep a connection alive."""

LONGEST_PGN = 32 << 20
"""Most bytes of a study or a round, which are searched in one piece."""

MOST_BAD = 100
"""Most games of an answer that may be skipped because they cannot be read."""

READ_TIMEOUT_SECONDS = 60.0
"""Time-out for the next piece of an answer: lichess searches for old games before it sends the first."""

_EXPORT_PARAMS = {"pgnInJson": "true", "clocks": "true", "opening": "true"}


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game as lichess exports it."""

    id: str
    created: int
    """Milliseconds since 1970, by lichess's clock."""
    pgn: str


@dataclass(slots=True)
class Page:
    """Games of one answer."""

    games: list[FinishedGame] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=dict)
    """Games that are not over: id -> start, milliseconds since 1970."""
    bad: list[str] = field(default_factory=list)
    """Why games were skipped that cannot be read, a reason each."""
    broke: LichessError | None = None
    """Why the answer is incomplete; None if it is complete."""


@dataclass(frozen=True, slots=True)
class Round:
    """Round of a broadcast."""

    id: str
    is_running: bool
    is_over: bool


class LichessGames:
    """Client for one server, with a token or without; may be used by any number of threads."""

    def __init__(self, url: str, token: SecretStr | None, rate_lock: RateLock) -> None:
        self.url = url
        self._rate_lock = rate_lock
        self._session = Session(token, READ_TIMEOUT_SECONDS)
        self._session.headers["User-Agent"] = user_agent("")
        self._ask: Requestor[Any] = Requestor(self._session, url, JSON)

    def close(self) -> None:
        """Close the idle connections."""
        self._session.close()

    # Users ----------------------------------------------------------------------------------------------------------

    def running(self, user: str, stop_flag: StopFlag) -> dict[str, int]:
        """Running games of a user: id -> start, milliseconds since 1970. Their moves are not requested."""
        query = {"ongoing": "true", "finished": "false", "moves": "false", "tags": "false", "max": str(MOST_IDS)}
        with self._request(stop_flag):
            return _running(self._lines(f"/api/games/user/{user}", query, _unread))

    def games(self, user: str, since: int, stop_flag: StopFlag) -> Page:
        """Finished games of a user that began at ``since`` (ms) or later: the oldest `PAGE_GAMES`, in order."""
        query = {**_EXPORT_PARAMS, "since": str(since), "sort": "dateAsc", "max": str(PAGE_GAMES)}
        return self._games(f"/api/games/user/{user}", query, stop_flag)

    def latest(self, user: str, most: int, stop_flag: StopFlag) -> Page:
        """Latest finished games of a user, ``most`` of them, the newest first."""
        return self._games(f"/api/games/user/{user}", {**_EXPORT_PARAMS, "max": str(most)}, stop_flag)

    def by_ids(self, ids: list[str], stop_flag: StopFlag) -> Page:
        """Finished games by their ids, `MOST_IDS` at most."""
        return self._games("/api/games/export/_ids", dict(_EXPORT_PARAMS), stop_flag, body=",".join(ids))

    def is_closed(self, user: str, stop_flag: StopFlag) -> bool:
        """Whether an account exists but was closed. Raises `Refused` if there never was one."""
        with self._request(stop_flag):
            return bool(self._ask.get(f"/api/user/{user}").get("disabled"))

    def message(self, user: str, text: str, stop_flag: StopFlag) -> None:
        """Send a private message to a user; needs the scope msg:write."""
        with self._request(stop_flag):
            self._ask.post(f"/inbox/{user}", data={"text": text})

    # TV -------------------------------------------------------------------------------------------------------------

    def on_air(self, channel: str, stop_flag: StopFlag) -> dict[str, int]:
        """Running games of a TV channel: id -> start, milliseconds since 1970. Their moves are not requested."""
        with self._request(stop_flag):
            query = {"nb": str(MOST_ON_AIR), "moves": "false", "tags": "false"}
            return _running(self._lines(f"/api/tv/{channel}", query, _unread))

    # Studies --------------------------------------------------------------------------------------------------------

    def study_changed(self, study: str, stop_flag: StopFlag) -> int:
        """Time of the last change of a study, seconds since 1970."""
        with self._request(stop_flag):
            answer = self._session.request("HEAD", f"{self.url}/api/study/{study}.pgn")
            if not answer.ok:
                raise refusal(answer)
            return int(parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp())

    def studies_of(self, user: str, stop_flag: StopFlag) -> dict[str, int]:
        """Visible studies of a user: id -> time of the last change, seconds since 1970."""
        with self._request(stop_flag):
            lines = self._lines(f"/api/study/by/{user}", {})
            with closing(lines):
                some = (study for study in islice(lines, MOST_LINES) if study is not None)
                return {ident(study["id"]): moment(study["updatedAt"]) // 1000 for study in some}

    def study(self, study: str, stop_flag: StopFlag) -> tuple[str, LichessError | None]:
        """The chapters as PGN, and the error that cut them short, if one did."""
        return self._pgn(f"/api/study/{study}.pgn", stop_flag)

    # Tournaments ----------------------------------------------------------------------------------------------------

    def tournament(self, kind: str, tournament: str, stop_flag: StopFlag) -> tuple[bool, int | None]:
        """Whether a tournament is over, and how many games it had, if lichess says so; ``kind`` as below."""
        with self._request(stop_flag):
            found = self._ask.get(f"/api/{kind}/{tournament}")
            return bool(found.get("isFinished")) or found.get("status") == "finished", _count(found)

    def tournament_games(self, kind: str, tournament: str, stop_flag: StopFlag) -> Page:
        """All games of a tournament; ``kind`` is ``tournament`` or ``swiss``."""
        return self._games(f"/api/{kind}/{tournament}/games", dict(_EXPORT_PARAMS), stop_flag)

    # Broadcasts -----------------------------------------------------------------------------------------------------

    def rounds(self, broadcast: str, stop_flag: StopFlag) -> list[Round]:
        """The rounds of a broadcast."""
        with self._request(stop_flag):
            found = self._ask.get(f"/api/broadcast/{broadcast}")
            return [
                Round(
                    ident(one["id"]),
                    is_running=bool(one.get("ongoing")),
                    is_over=bool(one.get("finishedAt") or one.get("finished")),
                )
                for one in found["rounds"]
            ]

    def round(self, ident: str, stop_flag: StopFlag) -> tuple[str, LichessError | None]:
        """The games of a round as PGN, and the error that cut them short, if one did."""
        return self._pgn(f"/api/broadcast/round/{ident}.pgn", stop_flag)

    def broadcast_stream(self, broadcast: str, stop_flag: StopFlag) -> Iterator[str | None]:
        """Stream of the games of a broadcast's running rounds, each again when it changes; None for a keep-alive.

        The rate lock is released once the stream is open: lichess prefers streams to repeated requests. A refusal
        (429) holds up no other request, because lichess limits the streams that are open at a time.
        """
        with self._rate_lock.hold(stop_flag, pauses=False), translate_errors():
            chunks = cast(
                Generator[bytes],
                self._ask.get(f"/api/stream/broadcast/tour/{broadcast}.pgn", fmt=_Bytes(), stream=True),
            )
        with translate_errors(), closing(chunks):
            waiting = b""
            for chunk in chunks:
                whole, waiting = whole_games(waiting + chunk)
                if len(waiting) > LONGEST_LINE:
                    raise Unreachable("a broadcast sent a game without end")
                if not whole:
                    yield None
                yield from whole

    # Requests and parsing ---------------------------------------------------------------------------------------------

    @contextmanager
    def _request(self, stop_flag: StopFlag) -> Iterator[None]:
        with self._rate_lock.hold(stop_flag), translate_errors():
            yield

    def _lines(
        self, path: str, query: dict[str, str], skipped: Callable[[str], None] | None = None
    ) -> Generator[dict[str, Any] | None]:
        lines = self._ask.get(path, params=query, fmt=Lines(skipped=skipped), stream=True)
        return cast(Generator[dict[str, Any] | None], lines)

    def _games(self, path: str, query: dict[str, str], stop_flag: StopFlag, body: str | None = None) -> Page:
        page = Page()

        def skipped(reason: str) -> None:
            page.bad.append(reason[:200])
            if len(page.bad) > MOST_BAD:
                raise Unreachable(f"{path} sends too much that cannot be read, such as {reason[:200]}")

        def read() -> None:
            size = empty = 0
            form = Lines(PLAIN_TEXT, skipped)
            if body is None:
                lines = self._lines(path, query, skipped)
            else:
                lines = cast(
                    Generator[dict[str, Any] | None],
                    # berserk's type of a body is a form; requests sends a text as it is.
                    self._ask.post(path, params=query, data=cast(Any, body), fmt=form, stream=True),
                )
            with closing(lines):
                for game in lines:
                    stop_flag.check()
                    if game is None:
                        empty += 1
                        if empty > MOST_EMPTY:
                            raise Unreachable(f"{path} sends empty lines without end")
                    else:
                        try:
                            number, created = ident(game["id"]), moment(game["createdAt"])
                            if game["status"] in ("created", "started"):
                                page.running[number] = created
                                continue
                            pgn = text(game["pgn"]).strip()
                            size += len(pgn.encode())  # which fails for half a character, as writing it would
                        except (ValueError, LookupError, TypeError, AttributeError) as error:
                            skipped(f"{type(error).__name__}: {error}")
                            continue
                        if size > LONGEST_ANSWER or len(page.games) >= MOST_LINES:
                            raise Unreachable(f"{path} sends games without end")
                        page.games.append(FinishedGame(number, created, pgn))

        page.broke = self._read_all(read, stop_flag)
        return page

    def _pgn(self, path: str, stop_flag: StopFlag) -> tuple[str, LichessError | None]:
        parts: list[bytes] = []

        def read() -> None:
            chunks = cast(Generator[bytes], self._ask.get(path, fmt=_Bytes(), stream=True))
            with closing(chunks):
                parts.extend(pieces(chunks, LONGEST_PGN, path, stop_flag))

        broke = self._read_all(read, stop_flag)
        data = b"".join(parts)
        # Its end alone: to search through all would hold up every thread, and with them the signal to stop.
        if broke is None and _ENDED.search(data.rstrip()[-_END_BYTES:]):
            return data.decode("utf-8", "replace"), None
        games, _ = whole_games(data)
        return "\n\n".join([*games, ""]), broke or Unreachable(f"{path} broke off in the middle of a game")

    def _read_all(self, read: Callable[[], None], stop_flag: StopFlag) -> LichessError | None:
        """Error of an answer that broke off, None for a complete one. Raises `Refused`."""
        try:
            with self._request(stop_flag):
                read()
        except Refused:
            raise
        except LichessError as error:
            return error
        return None


def _unread(reason: str) -> None:
    """The value of a line that is no game, in a list of games that comes again when they are over."""


def _running(lines: Generator[dict[str, Any] | None]) -> dict[str, int]:
    """Ids and starts of games; what cannot be read is left out, as the game will be when it is over."""
    found = {}
    with closing(lines):
        for game in islice(lines, MOST_LINES):
            with suppress(ValueError, LookupError, TypeError, AttributeError):
                if game is not None:
                    found[ident(game["id"])] = moment(game["createdAt"])
    return found


def _count(tournament: dict[str, Any]) -> int | None:
    games = (tournament.get("stats") or {}).get("games")
    if games is None:
        return None
    if isinstance(games, bool) or not isinstance(games, int) or not 0 <= games < 1 << 31:
        raise ValueError(f"no number of games: {str(games)[:60]!r}")
    return games


class _Bytes(FormatHandler[Any]):
    """PGN as raw bytes, in chunks."""

    def __init__(self) -> None:
        super().__init__("application/x-chess-pgn")

    def parse(self, response: requests.Response) -> Any:
        return response.content

    def parse_stream(self, response: requests.Response) -> Generator[Any]:
        try:
            yield from response.iter_content(PIECE)
        finally:
            response.close()

    def handle(self, response: requests.Response, is_stream: bool, converter: Any = None) -> Any:
        return self.parse_stream(response) if is_stream else self.parse(response)


def pieces(chunks: Iterable[bytes], most: int, what: str, stop_flag: StopFlag) -> Iterator[bytes]:
    """The pieces of an answer. Raises `Unreachable` after ``most`` bytes, and `Stopped`."""
    size = 0
    for chunk in chunks:
        stop_flag.check()
        size += len(chunk)
        if size > most:
            raise Unreachable(f"{what} has more than {most >> 20} MiB")
        yield chunk


_ENDED = re.compile(rb"(^|\s)(1-0|0-1|1/2-1/2|\*)$|^$")
_END_BYTES = len(b" 1/2-1/2")
_END = re.compile(rb"(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)[ \t]*\r?\n[ \t]*\r?\n(?=\s*(?:\[|$))")
"""A result and an empty line, and the tags of the next game if there is more; a comment may have the first two."""


def whole_games(data: bytes) -> tuple[list[str], bytes]:
    """Complete games of a PGN text that is still arriving, and the unfinished rest."""
    games = []
    at = 0
    for found in _END.finditer(data):
        games.append(data[at : found.end()].decode("utf-8", "replace").strip())
        at = found.end()
    return games, data[at:]
