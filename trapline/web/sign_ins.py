"""Attempts to sign in with lichess, and what lichess is asked for them.

Lichess is asked only for an attempt that was begun here and came back to the same browser, once for each code, for one
attempt of an address at a time, and not while it asks for a pause. All methods belong to the event loop.
"""

import hmac
import math
import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager

from cachetools import TTLCache

from lichess.api import LichessError, Limited, Refused
from lichess.oauth import SignIn
from lichess.rate_limits import LIMITED_SECONDS
from trapcore.errors import Message
from trapline.web.problems import Overloaded, RateLimited, RequestError
from trapline.web.server.limits import TokenBuckets
from trapline.web.settings import WebSettings

ATTEMPT_SECONDS = 600
"""In which somebody has to come back from lichess."""

MOST_ATTEMPTS = 10_000
MOST_OF_ADDRESS = 20
"""Attempts of one address that wait at the same time; a further one takes the place of its oldest."""

EXCHANGES = 10
"""Codes that lichess is asked about for one address at once, and in `ATTEMPT_SECONDS` in the long run."""

_CODE = re.compile(r"[A-Za-z0-9._~-]{1,200}")  # RFC 6749 allows more; lichess writes letters, digits and _
_BEGIN_AGAIN = Message("this sign-in was not begun here, or too long ago; begin again")


class SignIns:
    """The attempts of one server."""

    def __init__(self, web: WebSettings) -> None:
        self._web = web
        self._attempts: TTLCache[str, tuple[SignIn, str]] = TTLCache(MOST_ATTEMPTS, ATTEMPT_SECONDS)
        self._of_address: TTLCache[str, deque[str]] = TTLCache(MOST_ATTEMPTS, ATTEMPT_SECONDS)
        self._codes: TTLCache[str, None] = TTLCache(MOST_ATTEMPTS, ATTEMPT_SECONDS)
        self._buckets = TokenBuckets(EXCHANGES / ATTEMPT_SECONDS, EXCHANGES)
        self._asking: Counter[str] = Counter()
        self._paused_until = 0.0

    def begin(self, address: str, back: str) -> SignIn:
        """New attempt of a client at this address, who comes ``back`` to a path here. Raises `Overloaded`."""
        self._check_pause()
        attempt = SignIn.begin(self._web.lichess, f"{self._web.address}/sign-in/done")
        own = self._of_address.get(address, deque())
        if len(own) >= MOST_OF_ADDRESS:
            self._attempts.pop(own.popleft(), None)
        own.append(attempt.state)
        self._of_address[address] = own
        self._attempts[attempt.state] = attempt, back
        return attempt

    def take(self, state: str, cookie: str) -> tuple[SignIn, str]:
        """The attempt that comes back with this state, and where it goes, once; ``cookie`` is the browser's.

        Raises `RequestError` if it was not begun here, by this browser, in time.
        """
        found = self._attempts.pop(state, None)
        if found is None or not hmac.compare_digest(cookie.encode(), state.encode()):
            raise RequestError(_BEGIN_AGAIN)
        return found

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
