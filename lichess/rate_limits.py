"""Rate limits: back-off, openings of streams, and pauses after a 429. Clocks can be replaced; all times in seconds."""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from cachetools import LRUCache

from lichess.api import BOT_GAMES_A_DAY, Limited, Unauthorized
from lichess.token_check import TokenCheck

log = logging.getLogger(__name__)

OPENS = 28
"""Most openings of the account's stream in `WINDOW_SECONDS`: lichess allows 30, two are left for manual restarts."""

QUICK_OPENS = 14

WINDOW_SECONDS = 600.0

LIMITED_SECONDS = 60.0
"""Wait after a 429 that gives no time: lichess demands a full minute."""


class Backoff:
    """Exponential back-off from ``first`` to ``most`` seconds, with jitter from half of the wait to the whole.

    The jitter keeps many bots from returning in the same second after a restart of lichess.
    """

    def __init__(self, first: float, most: float, spread: Callable[[], float] = random.random) -> None:
        self._first, self._most, self._spread = first, most, spread
        self._failures = 0

    def failed(self) -> float:
        """Seconds to wait after one more failure."""
        seconds = min(self._first * 2.0**self._failures, self._most)
        self._failures = min(self._failures + 1, 60)
        return seconds * (0.5 + 0.5 * self._spread())

    def worked(self) -> None:
        """The next failure is the first one again."""
        self._failures = 0


class StreamOpenings:
    """Limit of `OPENS` stream openings in `WINDOW_SECONDS`.

    The times are wall-clock seconds and are stored, because the limit matters most over restarts.
    """

    def __init__(self, before: list[float], now: Callable[[], float] = time.time) -> None:
        """``before``: times of earlier openings."""
        self._now = now
        self._times: deque[float] = deque(t for t in sorted(before) if t <= now())

    def wait(self) -> float:
        """Seconds until the next opening is allowed, 0 if it is allowed now.

        `QUICK_OPENS` are limited by the back-off alone, the others are spread evenly, so that the budget is never
        exhausted for minutes.
        """
        self._forget()
        used = len(self._times)
        if used < QUICK_OPENS:
            return 0.0
        earliest = self._times[-1] + WINDOW_SECONDS / (OPENS - QUICK_OPENS)
        if used >= OPENS:
            earliest = max(earliest, self._times[-OPENS] + WINDOW_SECONDS)
        return max(0.0, earliest - self._now())

    @property
    def recent(self) -> int:
        """Openings within `WINDOW_SECONDS`."""
        self._forget()
        return len(self._times)

    def opened(self) -> list[float]:
        """Count an opening; returns the times to be stored."""
        self._forget()
        self._times.append(self._now())
        return list(self._times)

    def not_opened(self) -> list[float]:
        """Take back the last opening, which never reached lichess; returns the times to be stored."""
        if self._times:
            self._times.pop()
        return list(self._times)

    def _forget(self) -> None:
        now = self._now()
        while self._times and self._times[0] <= now - WINDOW_SECONDS:
            self._times.popleft()
        while self._times and self._times[-1] > now:
            # The clock was put back; times in the future are meaningless.
            self._times.pop()


class Kind(IntEnum):
    """Kinds of requests. After a 429 without a named limit those further down pause as well, except chat."""

    MOVE = 0
    """Moves and everything else that a running game needs."""
    LISTEN = 1
    """Streams, and the list of running games."""
    ANSWER = 2
    """Answers to challenges."""
    BOTS = 3
    """Challenges to and from bots."""
    CHAT = 4

    @property
    def is_for_people(self) -> bool:
        """Whether people wait for it, so that it pauses for a minute at most."""
        return self in (Kind.ANSWER, Kind.CHAT)


@dataclass(slots=True)
class _Own:
    """Back-off of one request, and until when it waits."""

    backoff: Backoff
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause of one kind of requests."""

    kind: Kind
    seconds: float
    """Seconds that are left."""
    reason: str


SOON = {Kind.MOVE: (0.5, 8.0), Kind.LISTEN: (2.0, LIMITED_SECONDS)}
"""First and longest wait of the kinds on which a running clock depends, after a 429 that gives no time."""

MOST_REQUESTS = 1_000
"""Requests whose back-off is remembered."""

DOUBT_SECONDS = 0.5
"""Wait of all requests while the token is tested, again and again until the test has ended."""


class Pauses:
    """Pauses of all kinds of requests, shared by all threads.

    A request may have a name, such as a game's move: it then has a back-off of its own, which no success of another
    request ends.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, token_check: TokenCheck | None = None) -> None:
        self._now, self._token_check = now, token_check
        self._until = dict.fromkeys(Kind, 0.0)
        self._reasons = dict.fromkeys(Kind, "")
        self._own: LRUCache[tuple[Kind, str], _Own] = LRUCache(MOST_REQUESTS)
        self._lock = threading.Lock()

    def wait(self, kind: Kind, request: str = "") -> float:
        """Seconds until a request of this kind, or the request with this name, may be made; 0 if it may be made now."""
        if self._token_check is not None and self._token_check.is_doubted:
            return DOUBT_SECONDS
        with self._lock:
            own = self._own.get((kind, request))
            return max(0.0, max(self._until[kind], own.until if own is not None else 0.0) - self._now())

    def unauthorized(self, error: Unauthorized) -> None:
        """Pause all requests after a refusal of the token (401, 403), until it was tested."""
        if self._token_check is not None:
            self._token_check.doubt(error)

    def active(self) -> list[Pause]:
        """Kinds that pause now, with the reasons."""
        with self._lock:
            now = self._now()
            return [Pause(kind, until - now, self._reasons[kind]) for kind, until in self._until.items() if until > now]

    def limited(self, kind: Kind, error: Limited, request: str = "") -> float:
        """Pause after a 429, and log it; returns the seconds until the request that it concerns may be made again.

        A named limit pauses only what it concerns: that of games between bots the challenges to and from them, for as
        long as lichess says; any other one the kind of the request. The general limit of requests pauses the kinds
        further down as well, but never chat, which has pauses of its own. Without a time from lichess, moves, streams
        and lists, on which a running clock depends, are retried soon and then less and less often, each request by
        itself: others of its kind wait no longer than after a first 429. Everything else waits a minute. What people
        wait for pauses for a minute at most.
        """
        kind = Kind.BOTS if error.key == BOT_GAMES_A_DAY else kind
        with self._lock:
            seconds = error.seconds
            if seconds is None and kind in SOON:
                own = self._own.setdefault((kind, request), _Own(Backoff(*SOON[kind])))
                wait = own.backoff.failed()
                own.until = max(own.until, self._now() + wait)
                seconds = min(wait, SOON[kind][0])
            elif seconds is None:
                seconds = LIMITED_SECONDS
            if not error.key:
                for other in range(kind + 1, Kind.CHAT):
                    patient = error.seconds is None and other not in SOON
                    self._hold(Kind(other), LIMITED_SECONDS if patient else seconds, str(error))
            self._hold(kind, seconds, str(error))
        wait = self.wait(kind, request)
        whose = f"{request} waits" if request else f"requests of the kind {kind.name.lower()} wait"
        log.warning("%s; %s %.1f s", error, whose, wait)
        return wait

    def worked(self, kind: Kind, request: str = "") -> None:
        """Note that a request of this kind, or with this name, succeeded."""
        with self._lock:
            self._own.pop((kind, request), None)

    def _hold(self, kind: Kind, seconds: float, reason: str) -> None:
        until = self._now() + (min(seconds, LIMITED_SECONDS) if kind.is_for_people else seconds)
        if until > self._until[kind]:
            self._until[kind], self._reasons[kind] = until, reason
