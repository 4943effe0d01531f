"""`bot.lichess.Lichess` by berserk. The only file that knows it.

What berserk leaves to its caller and is done here: time-outs on every request; the empty lines that lichess sends every
7 seconds, which tell a living stream from a dead one; closing a stream; redirects and ``.netrc`` files, which must not
get or replace the token; and the deeds of bots that it has no methods for.
"""

import json
import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar, cast

import berserk
import requests
import urllib3
from berserk.formats import JSON, NDJSON, FormatHandler
from berserk.session import Requestor
from pydantic import SecretStr
from requests.adapters import HTTPAdapter

from bot import reading
from bot.lichess import (
    MOST_LISTED,
    Account,
    AccountEvent,
    Challenge,
    DeclineReason,
    GameEvent,
    GameStart,
    LichessError,
    Limited,
    Person,
    Refused,
    Room,
    Unauthorized,
    Unreachable,
)

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 10.0
"""How long an answer may take. Of a move that took longer it is not known whether it was played."""

SILENT_SECONDS = 10.0
"""A stream that says nothing for so long is dead: lichess sends an empty line every 7 seconds."""

CONNECTIONS = 256
"""Most connections kept open, far more than 64 games need."""

LONGEST_LINE = 1 << 20
"""Bytes; a line of a stream has a few thousand at most."""

T = TypeVar("T")


class Connection:
    """One account on one server; may be used by any number of threads."""

    def __init__(self, url: str, token: SecretStr | None, user: str = "") -> None:
        """``user`` is the account's name, for the User-Agent, once it is known."""
        self.url = url
        self._token = token
        self._session = _Session(token, ANSWER_SECONDS)
        self._streams = _Session(token, SILENT_SECONDS)
        self._me = user.lower()
        self.name(user)
        self._client = berserk.Client(self._session, url)
        self._ask: Requestor[Any] = Requestor(self._session, url, JSON)
        self._listen: Requestor[Any] = Requestor(self._streams, url, _Lines())

    def name(self, user: str) -> None:
        """Tell lichess whose bot this is, with every request."""
        self._me = user.lower()
        agent = f"trapline/{_version()}" + (f" user:{user}" if user else "")
        for session in (self._session, self._streams):
            session.headers["User-Agent"] = agent

    def close(self) -> None:
        """Close what is idle; streams close when their readers stop."""
        self._session.close()
        self._streams.close()

    # Questions ------------------------------------------------------------------------------------------------------

    def account(self) -> Account:
        """Whose token it is."""
        with _errors():
            found: dict[str, Any] = dict(self._client.account.get())
            count = found.get("count") or {}
            return Account(
                id=str(found["id"]),
                name=str(found.get("username") or found["id"]),
                is_bot=found.get("title") == "BOT",
                games=int(count.get("all") or 0),
            )

    def scopes(self) -> frozenset[str]:
        """What the token allows; nothing if lichess does not know it."""
        if self._token is None:
            return frozenset()
        with _errors():
            secret = self._token.get_secret_value()
            answer = self._client.oauth.test_tokens(secret)
            found = answer.get(secret) or {}
            scopes = found.get("scopes") or ""
            return frozenset(str(scope).strip() for scope in (scopes.split(",") if isinstance(scopes, str) else scopes))

    def ongoing(self) -> list[GameStart]:
        """All games that run."""
        with _errors():
            found = self._ask.get("/api/account/playing", params={"nb": MOST_LISTED})
            return [reading.game_start(game) for game in found["nowPlaying"]]

    def challenges(self) -> list[Challenge]:
        """Those that wait for our answer."""
        with _errors():
            found = self._client.challenges.get_mine()
            return [reading.challenge(one, self._me) for one in found["in"]]

    def export(self, game: str) -> str:
        """A game as PGN."""
        with _errors():
            return str(self._client.games.export(game, as_pgn=True, clocks=True, evals=False, opening=True))

    def online_bots(self, most: int) -> list[Person]:
        """Bots that are online."""
        with _errors():
            found = self._ask.get("/api/bot/online", params={"nb": most}, fmt=NDJSON, stream=True)
            return [Person(str(bot["id"]), str(bot["username"]), "BOT", _rating(bot)) for bot in found]

    # Streams --------------------------------------------------------------------------------------------------------

    def events(self) -> Iterator[AccountEvent | None]:
        """The stream of the account."""
        return self._read("/api/stream/event", lambda line: reading.account_event(line, self._me))

    def game(self, game: str, me: str) -> Iterator[GameEvent | None]:
        """The stream of a game."""
        return self._read(f"/api/bot/game/stream/{game}", lambda line: reading.game_event(line, me))

    def _read(self, path: str, read: Callable[[dict[str, Any]], T | None]) -> Iterator[T | None]:
        with _errors():
            # Ours, from `_Lines`; berserk's types know plain iterators only.
            answered = cast(Generator[dict[str, Any] | None], self._listen.get(path, stream=True))
            with closing(answered) as lines:
                for line in lines:
                    yield None if line is None else read(line)

    # Deeds ----------------------------------------------------------------------------------------------------------

    def upgrade(self) -> None:
        """Make the account a bot."""
        with _errors():
            self._ask.post("/api/bot/account/upgrade")

    def move(self, game: str, uci: str, *, offer_draw: bool = False) -> None:
        """Play a move."""
        self._do(game, f"move/{uci}", params={"offeringDraw": "true"} if offer_draw else None)

    def say(self, game: str, room: Room, text: str) -> None:
        """Write."""
        self._do(game, "chat", data={"room": room, "text": text})

    def abort(self, game: str) -> None:
        """Abort."""
        self._do(game, "abort")

    def resign(self, game: str) -> None:
        """Resign."""
        self._do(game, "resign")

    def answer_draw(self, game: str, *, accept: bool) -> None:
        """Agree or decline."""
        self._do(game, f"draw/{'yes' if accept else 'no'}")

    def answer_takeback(self, game: str, *, accept: bool) -> None:
        """Grant or decline."""
        self._do(game, f"takeback/{'yes' if accept else 'no'}")

    def claim_victory(self, game: str) -> None:
        """Win."""
        self._do(game, "claim-victory")

    def claim_draw(self, game: str) -> None:
        """Draw."""
        self._do(game, "claim-draw")

    def accept(self, challenge: str) -> None:
        """Accept."""
        with _errors():
            self._client.challenges.accept(challenge)

    def decline(self, challenge: str, reason: DeclineReason) -> None:
        """Decline."""
        with _errors():
            self._ask.post(f"/api/challenge/{challenge}/decline", data={"reason": reason.value})

    def challenge(self, name: str, *, rated: bool, limit: int, increment: int) -> str:
        """Challenge somebody."""
        with _errors():
            data = {
                "rated": "true" if rated else "false",
                "clock.limit": limit,
                "clock.increment": increment,
                "variant": "standard",
                "color": "random",
            }
            answer = self._ask.post(f"/api/challenge/{name}", data=data)
            return str((answer.get("challenge") or answer)["id"])

    def withdraw(self, challenge: str) -> None:
        """Take a challenge back."""
        with _errors():
            self._client.challenges.cancel(challenge)

    def _do(self, game: str, deed: str, **content: Any) -> None:
        with _errors():
            self._ask.post(f"/api/bot/game/{game}/{deed}", **content)


class _Session(requests.Session):
    """Sends the token and gives up in time."""

    def __init__(self, token: SecretStr | None, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        adapter = HTTPAdapter(pool_connections=4, pool_maxsize=CONNECTIONS)
        self.mount("https://", adapter)
        self.mount("http://", adapter)
        # An authentication of our own keeps requests from taking one out of a .netrc file.
        self.auth = _Bearer(token)

    def request(self, *given: Any, **named: Any) -> requests.Response:
        named.setdefault("timeout", (CONNECT_SECONDS, self._seconds))
        # No address of lichess that we use redirects; one that did might lead elsewhere with the token.
        named["allow_redirects"] = False
        return super().request(*given, **named)


class _Bearer(requests.auth.AuthBase):
    def __init__(self, token: SecretStr | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token.get_secret_value()}"
        return request


class _Lines(FormatHandler[Any]):
    """Lines of JSON as they come; None for an empty one, which is a sign of life."""

    def __init__(self) -> None:
        super().__init__("application/x-ndjson")

    def parse(self, response: requests.Response) -> Any:
        return response.json()

    def parse_stream(self, response: requests.Response) -> Generator[Any]:
        return _lines(response)

    def handle(self, response: requests.Response, is_stream: bool, converter: Any = None) -> Any:
        # berserk maps a converter over the stream, which then cannot be closed.
        return self.parse_stream(response) if is_stream else self.parse(response)


def _lines(response: requests.Response) -> Generator[Any]:
    try:
        waiting = b""
        for chunk in response.iter_content(None):
            waiting += chunk
            *whole, waiting = waiting.split(b"\n")
            for line in whole:
                yield json.loads(line) if line.strip() else None
            if len(waiting) > LONGEST_LINE:
                raise Unreachable("a stream sent a line without end")
        if waiting.strip():
            raise Unreachable("a stream broke off in the middle of a line")
    finally:
        response.close()


@contextmanager
def _errors() -> Iterator[None]:
    """Whatever goes wrong inside becomes a `LichessError`; no message of it holds the token."""
    try:
        yield
    except LichessError:
        raise
    except berserk.exceptions.ResponseError as error:
        raise _refusal(error.response) from None
    except (berserk.exceptions.ApiError, requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        reason = _innermost(error)
        text = (str(reason) or type(reason).__name__)[:200]
        arrived = not isinstance(reason, ConnectionRefusedError | urllib3.exceptions.NewConnectionError)
        raise Unreachable(f"lichess cannot be reached: {text}", arrived=arrived) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreachable(f"lichess sent what cannot be read: {type(error).__name__}: {error}") from None


def _refusal(response: requests.Response) -> LichessError:
    status = response.status_code
    said = _said(response)
    message = f"lichess answered {status} to {response.request.method} {response.request.path_url}{said}"
    if status == 429:
        return Limited(message, _seconds(response))
    if status >= 500 or status < 400:
        return Unreachable(message)
    return (Unauthorized if status in (401, 403) else Refused)(message, status)


def _said(response: requests.Response) -> str:
    try:
        answer = response.json()
        error = answer.get("error") if isinstance(answer, dict) else None
    except ValueError:
        error = None
    finally:
        response.close()
    return f": {str(error)[:200]}" if error else ""


def _seconds(response: requests.Response) -> float | None:
    """How long to wait: the header, or what lichess writes into the body."""
    candidates: list[object] = [response.headers.get("Retry-After")]
    try:
        answer = response.json()
        candidates.append(answer.get("ratelimit", {}).get("seconds"))
    except (ValueError, AttributeError):
        pass
    for given in candidates:
        try:
            seconds = float(str(given))
        except ValueError:
            continue
        if 0 <= seconds < 7 * 86_400:
            return seconds
    return None


def _innermost(error: BaseException) -> BaseException:
    """The reason behind it: berserk wraps requests, which wraps urllib3, which wraps the system's error."""
    seen = error
    while True:
        inner = getattr(seen, "reason", None) or next(
            (arg for arg in seen.args if isinstance(arg, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            return seen
        seen = inner


def _rating(bot: dict[str, Any]) -> int | None:
    rating = (bot.get("perfs") or {}).get("blitz", {}).get("rating")
    return None if rating is None else int(rating)


def _version() -> str:
    try:
        return version("trapline")
    except PackageNotFoundError:
        return "source"
