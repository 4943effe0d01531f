"""Rate limits: back-off, openings of streams, and pauses after a 429. Clocks can be replaced; all times in seconds."""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from lichess.api import BOT_GAMES_A_DAY, Limited

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
    """Kinds of requests. After a 429 without a named limit those further down pause as well, but for chat."""

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


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause of one kind of requests."""

    kind: Kind
    seconds: float
    """Seconds that are left."""
    reason: str


class Pauses:
    """Pauses of all kinds of requests, shared by all threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = dict.fromkeys(Kind, 0.0)
        self._reasons = dict.fromkeys(Kind, "")
        self._soon = {Kind.MOVE: Backoff(0.5, 8.0), Kind.LISTEN: Backoff(2.0, LIMITED_SECONDS)}
        self._lock = threading.Lock()

    def wait(self, kind: Kind) -> float:
        """Seconds until a request of this kind may be made, 0 if it may be made now."""
        with self._lock:
            return max(0.0, self._until[kind] - self._now())

    def active(self) -> list[Pause]:
        """Kinds that pause now, with the reasons."""
        with self._lock:
            now = self._now()
            return [Pause(kind, until - now, self._reasons[kind]) for kind, until in self._until.items() if until > now]

    def limited(self, kind: Kind, error: Limited) -> float:
        """Pause after a 429, and log it; returns the seconds until the kind that it concerns may be requested again.

        A named limit pauses only what it concerns: that of games between bots the challenges to and from them, for as
        long as lichess says; any other one the kind of the request. The general limit of requests pauses the kinds
        further down as well, but never chat, which has pauses of its own. Without a time from lichess, moves, streams
        and lists, on which a running clock depends, are retried soon and then less and less often; the others wait a
        minute. What people wait for pauses for a minute at most.
        """
        kind = Kind.BOTS if error.key == BOT_GAMES_A_DAY else kind
        with self._lock:
            seconds = error.seconds
            if seconds is None:
                seconds = self._soon[kind].failed() if kind in self._soon else LIMITED_SECONDS
            if not error.key:
                for other in range(kind + 1, Kind.CHAT):
                    patient = error.seconds is None and other not in self._soon
                    self._hold(Kind(other), LIMITED_SECONDS if patient else seconds, str(error))
            self._hold(kind, seconds, str(error))
            wait = max(0.0, self._until[kind] - self._now())
        log.warning("%s; requests of the kind %s wait %.1f s", error, kind.name.lower(), wait)
        return wait

    def worked(self, kind: Kind) -> None:
        """Note that a request of this kind succeeded."""
        with self._lock:
            if kind in self._soon:
                self._soon[kind].worked()

    def _hold(self, kind: Kind, seconds: float, reason: str) -> None:
        until = self._now() + (min(seconds, LIMITED_SECONDS) if kind.is_for_people else seconds)
        if until > self._until[kind]:
            self._until[kind], self._reasons[kind] = until, reason
