"""Attempts to sign in with lichess, and what lichess is asked for them.

Lichess is asked only for an attempt that was begun here and came back to the same browser, once for each code, for one
attempt of an address at a time, and not while it asks for a pause. All methods belong to the event loop.
"""

import hmac
import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from cachetools import TTLCache
from pydantic import SecretStr

from lichess.api import LichessError, Limited, Refused
from lichess.oauth import SignIn
from lichess.rate_limits import LIMITED_SECONDS
from trapcore.errors import Message
from trapline.web.problems import Overloaded, RateLimited, RequestError
from trapline.web.server.limits import TokenBuckets
from trapline.web.settings import WebSettings
from trapline.web.token import sign, signed_text

ATTEMPT_SECONDS = 600
"""In which somebody has to come back from lichess."""

MOST_CODES = 10_000
"""Codes that are remembered as asked about."""

EXCHANGES = 10
"""Codes that lichess is asked about for one address at once, and in `ATTEMPT_SECONDS` in the long run."""

_CODE = re.compile(r"[A-Za-z0-9._~-]{1,200}")  # RFC 6749 allows more; lichess writes letters, digits and _
_BEGIN_AGAIN = Message("this sign-in was not begun here, or too long ago; begin again")
_PURPOSE = "sign-in"


class SignIns:
    """The attempts of one server. Each lies in a signed cookie of its browser."""

    def __init__(self, web: WebSettings, key: bytes) -> None:
        """``key`` signs the cookies."""
        self._web, self._key = web, key
        self._codes: TTLCache[str, None] = TTLCache(MOST_CODES, ATTEMPT_SECONDS)
        self._buckets = TokenBuckets(EXCHANGES / ATTEMPT_SECONDS, EXCHANGES)
        self._asking: Counter[str] = Counter()
        self._paused_until = 0.0

    def begin(self, back: str) -> tuple[str, str]:
        """Address at lichess for a new attempt, and the cookie for the browser, who comes ``back`` to a path here.

        Raises `Overloaded`.
        """
        self._check_pause()
        attempt = SignIn.begin(self._web.lichess, self._redirect)
        told = f"{_PURPOSE} {attempt.state} {attempt.verifier.get_secret_value()} {back}"
        return attempt.address(), sign(self._key, told, ATTEMPT_SECONDS)

    def read(self, state: str, cookie: str) -> tuple[SignIn, str]:
        """The attempt that comes back with this state, and where it goes; ``cookie`` is the browser's.

        Raises `RequestError` if it was not begun here, by this browser, in time.
        """
        told = signed_text(self._key, cookie).split(" ", 3)
        if told[0] != _PURPOSE or not hmac.compare_digest(told[1].encode(), state.encode()):
            raise RequestError(_BEGIN_AGAIN)
        return SignIn(self._web.lichess, self._redirect, state, SecretStr(told[2])), told[3]

    @property
    def _redirect(self) -> str:
        return f"{self._web.address}/sign-in/done"

    @contextmanager
    def asking(self, address: str, code: str) -> Iterator[None]:
        """Within it lichess is asked about a code for a client at this address; what it refuses becomes our error.

        Raises `RequestError`, `RateLimited` and `Overloaded`, before lichess is asked if it must not be.
        """
        self._check_pause()
        if not _CODE.fullmatch(code) or code in self._codes:
            raise RequestError(_BEGIN_AGAIN)
        if self._asking[address]:
            raise RateLimited("another sign-in from your address is under way; try again", {"Retry-After": "10"})
        seconds = self._buckets.take(address, time.monotonic())
        if seconds:
            raise RateLimited(
                "there were too many sign-ins from your address; try again later",
                {"Retry-After": str(math.ceil(seconds))},
            )
        self._codes[code] = None
        self._asking[address] += 1
        try:
            yield
        except Limited as error:
            self._paused_until = time.monotonic() + max(LIMITED_SECONDS, error.seconds or 0.0)
            raise self._overloaded() from error
        except Refused as error:
            raise RequestError("lichess did not accept this sign-in; begin again") from error
        except LichessError as error:
            raise Overloaded(
                "lichess does not answer as it should; try to sign in again in a minute", {"Retry-After": "60"}
            ) from error
        finally:
            self._asking[address] -= 1
            self._asking = +self._asking

    def _check_pause(self) -> None:
        if time.monotonic() < self._paused_until:
            raise self._overloaded()

    def _overloaded(self) -> Overloaded:
        seconds = math.ceil(self._paused_until - time.monotonic())
        return Overloaded(
            "lichess takes no more sign-ins for now; try again in {seconds} seconds",
            {"Retry-After": str(seconds)},
            seconds=seconds,
        )
