"""HTTP session for lichess, and translation of its errors.

It adds to berserk: time-outs and size limits on every request, and the empty lines that lichess sends every 7 seconds,
which show that a stream is alive. Redirects and ``.netrc`` files never get or replace the token.
"""

import io
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import berserk
import requests
import urllib3
from berserk.formats import FormatHandler, JsonHandler
from pydantic import SecretStr
from requests.adapters import HTTPAdapter

from lichess.api import LichessError, Limited, Refused, Unauthorized, Unreachable
from trapcore.io.plain_text import harmless_line
from trapcore.version import installed_version

CONNECT_SECONDS = 5.0

CONNECTIONS = 256
"""Size of the connection pool, far more than 64 games need."""

LONGEST_LINE = 1 << 20
"""Most bytes of a line of a stream. Real lines have a few thousand."""

LONGEST_BODY = 16 << 20
"""Most bytes of an answer that is no stream. Lists of bots, the longest, have some hundred thousand."""

LONGEST_ANSWER = 256 << 20
"""Most unpacked bytes of the games of one request. A thousand games have about two million."""

LONGEST_SECONDS = 120.0
"""Longest time of an answer that is no stream, even if bytes keep coming."""

PIECE = 1 << 14
"""Most bytes that are read at once, which bounds the memory for packed answers."""

_ENCODINGS = {"", "identity", "gzip", "deflate"}
"""Accepted encodings of bodies. Others can unpack a few bytes to a gigabyte."""


BY_PROXY = 407
"""The status by which a proxy asks for a password of its own."""

NOT_MODIFIED = 304
_CONDITIONS = {"If-None-Match", "If-Modified-Since"}


class Session(requests.Session):
    """HTTP session that sends the token and has a time-out on every request."""

    def __init__(self, token: SecretStr | None, seconds: float) -> None:
        """``seconds``: time-out of an answer, or of the next piece of one."""
        super().__init__()
        self._seconds = seconds
        self.headers["Accept-Encoding"] = "gzip, deflate"
        adapter = HTTPAdapter(pool_connections=4, pool_maxsize=CONNECTIONS)
        self.mount("https://", adapter)
        self.mount("http://", adapter)
        # An authentication of our own keeps requests from taking one out of a .netrc file.
        self.auth = _Bearer(token)
        self.hooks["response"] = [_bounded]

    def request(self, *given: Any, **named: Any) -> requests.Response:
        """As `requests.Session.request`, with a time-out."""
        named.setdefault("timeout", (CONNECT_SECONDS, self._seconds))
        # No address that is used here redirects; one that did could lead the token elsewhere.
        named["allow_redirects"] = False
        return super().request(*given, **named)


def _bounded(response: requests.Response, *_: object, stream: bool = False, **_named: object) -> None:
    """Check the head of an answer, and read the body within bounds unless it is a stream.

    Raises `Unreachable` for a redirect, also for a 304 to a request without a condition, for an encoding that was not
    requested, and for a body that is too long.
    """
    is_unchanged = response.status_code == NOT_MODIFIED and bool(_CONDITIONS & response.request.headers.keys())
    if 300 <= response.status_code < 400 and not is_unchanged:
        response.close()
        asked = f"{response.request.method} {response.request.path_url}"
        raise Unreachable(f"the answer {response.status_code} to {asked} leads elsewhere, which is not followed")
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        response.close()
        raise Unreachable(f"an answer is packed as {encoding[:20]!r}, which was not asked for")
    if not stream or not response.ok:  # a refusal is never a stream
        response.raw = io.BytesIO(whole(response.raw, LONGEST_BODY, LONGEST_SECONDS))


def whole(raw: urllib3.HTTPResponse, most: int, seconds: float) -> bytes:
    """The body of an answer. Raises `Unreachable` for one of more than ``most`` bytes, or that takes longer."""
    body = bytearray()
    end = time.monotonic() + seconds
    try:
        # A read that waits for a full piece would let a server trickle for hours.
        while chunk := raw.read1(PIECE, decode_content=True):
            body += chunk
            if len(body) > most:
                raise Unreachable(f"an answer has more than {most >> 20} MiB")
            if time.monotonic() > end:
                raise Unreachable(f"an answer was not over after {seconds:.0f} s")
    except BaseException:
        raw.close()
        raise
    return bytes(body)


class _Bearer(requests.auth.AuthBase):
    def __init__(self, token: SecretStr | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token.get_secret_value()}"
        return request


PLAIN_TEXT = {"Content-Type": "text/plain"}
"""Header of a request whose body is a text; requests sends none for a text."""


class PlainTextRequest(JsonHandler):
    """JSON as the answer to a request whose body is a text."""

    def __init__(self) -> None:
        super().__init__("application/json")
        self.headers = {**self.headers, **PLAIN_TEXT}


class Lines(FormatHandler[Any]):
    """Stream of JSON lines; None for an empty line, which is a keep-alive."""

    def __init__(self, headers: Mapping[str, str] | None = None, skipped: Callable[[str], None] | None = None) -> None:
        """``headers`` of the request besides the one that asks for such lines. ``skipped`` is called for each line that
        is no JSON or too long, and the line is ignored. Without it such a line is an error.
        """
        super().__init__("application/x-ndjson")
        self._skipped = skipped
        self.headers = {**self.headers, **(headers or {})}

    def parse(self, response: requests.Response) -> Any:
        """A single JSON value."""
        return response.json()

    def parse_stream(self, response: requests.Response) -> Generator[Any]:
        """One value for each line."""
        return _lines(response, self._skipped)

    def handle(self, response: requests.Response, is_stream: bool, converter: Any = None) -> Any:
        """The stream of lines, which is to be closed, or the value."""
        # berserk maps a converter over the stream, which then cannot be closed.
        return self.parse_stream(response) if is_stream else self.parse(response)


def _parsed(line: bytes, skipped: Callable[[str], None] | None) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        if skipped is None:
            raise
        skipped(f"{type(error).__name__}: {error}")
        return None


def _lines(response: requests.Response, skipped: Callable[[str], None] | None) -> Generator[Any]:
    try:
        waiting = b""
        dropped = 0  # bytes of the line that is skipped because it is too long
        for chunk in response.iter_content(PIECE):
            waiting += chunk
            *whole, waiting = waiting.split(b"\n")
            if dropped and whole:
                del whole[0]
                dropped = 0
            for line in whole:
                yield _parsed(line, skipped) if line.strip() else None
            if len(waiting) > LONGEST_LINE:
                if skipped is None or dropped > LONGEST_BODY:
                    raise Unreachable("a stream sent a line without end")
                if not dropped:
                    skipped(f"a line has more than {LONGEST_LINE >> 20} MiB")
                dropped += len(waiting)
                waiting = b""
        if waiting.strip() or dropped:
            raise Unreachable("a stream broke off in the middle of a line")
    finally:
        response.close()


@contextmanager
def translate_errors(server: str = "lichess") -> Iterator[None]:
    """Translate the errors of the block to `LichessError`; no message contains the token.

    ``server`` is the name of the server that is asked, as people call it.
    """
    try:
        yield
    except LichessError:
        raise
    except berserk.exceptions.ResponseError as error:
        raise refusal(error.response, server) from None
    except (berserk.exceptions.ApiError, requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        reason = _innermost(error)
        text = (str(reason) or type(reason).__name__)[:200]
        arrived = not isinstance(reason, ConnectionRefusedError | urllib3.exceptions.NewConnectionError)
        raise Unreachable(f"{server} cannot be reached: {text}", arrived=arrived) from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        reason_given = f"{type(error).__name__}: {error}"[:200]
        raise Unreachable(f"{server} sent what cannot be read: {reason_given}") from None


def refusal(response: requests.Response, server: str = "lichess") -> LichessError:
    """Error for an HTTP answer, which is closed."""
    status = response.status_code
    detail = _error_detail(response)
    message = f"{server} answered {status} to {response.request.method} {response.request.path_url}{detail}"
    if status == 429:
        seconds, key = _limit(response)
        return Limited(message, seconds, key)
    if status >= 500 or status < 400 or status == BY_PROXY:
        return Unreachable(message)
    if status not in (401, 403):
        return Refused(message, status)
    # Lichess's API sends no pages. A server before it, such as a proxy, does, and knows nothing of the token.
    is_page = "html" in response.headers.get("Content-Type", "").lower()
    return Unreachable(message) if is_page else Unauthorized(message, status)


def _error_detail(response: requests.Response) -> str:
    try:
        answer = response.json()
        error = answer.get("error") if isinstance(answer, dict) else None
    except (ValueError, RecursionError):
        error = None
    finally:
        response.close()
    return f": {harmless_line(str(error))[:200]}" if error else ""


def _limit(response: requests.Response) -> tuple[float | None, str]:
    """Seconds to wait after a 429, from the header or the body, None if neither has them; and the limit's name."""
    candidates: list[object] = [response.headers.get("Retry-After")]
    key = ""
    try:
        limit = response.json().get("ratelimit", {})
        candidates.append(limit.get("seconds"))
        key = str(limit.get("key") or "")[:100]
    except (ValueError, AttributeError, RecursionError):
        pass
    for given in candidates:
        try:
            seconds = float(str(given))
        except ValueError:  # for text that is no number
            continue
        if 0 <= seconds < 7 * 86_400:
            return seconds, key
    return None, key


def _innermost(error: BaseException) -> BaseException:
    """Innermost cause: berserk wraps requests, which wraps urllib3, which wraps the system's error."""
    seen = error
    while True:
        inner = getattr(seen, "reason", None) or next(
            (arg for arg in seen.args if isinstance(arg, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            return seen
        seen = inner


def user_agent(user: str) -> str:
    """User-Agent as lichess requests it; ``user`` is the account's name, empty if there is none."""
    return f"trapline/{installed_version() or 'source'}" + (f" user:{user}" if user else "")
