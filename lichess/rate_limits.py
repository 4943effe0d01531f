"""Rate limits: back-off, openings of streams, and pauses after a 429. Clocks can be replaced; all times in seconds."""

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import IntEnum

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
    """Kinds of requests by priority: a 429 pauses its own kind and those of lower priority."""

    MOVE = 0
    """Moves and everything else that a running game needs."""
    LISTEN = 1
    """Streams, and the list of running games."""
    CHALLENGE = 2
    """Answers to challenges, and challenges of our own."""
    CHAT = 3


class Pauses:
    """Pauses of all kinds of requests, shared by all threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = dict.fromkeys(Kind, 0.0)
        self._soon = {Kind.MOVE: Backoff(0.5, 8.0), Kind.LISTEN: Backoff(2.0, LIMITED_SECONDS)}
        self._lock = threading.Lock()

    def wait(self, kind: Kind) -> float:
        """Seconds until a request of this kind may be made, 0 if it may be made now."""
        with self._lock:
            return max(0.0, self._until[kind] - self._now())

    def limited(self, kind: Kind, seconds: float | None) -> float:
        """Pause after a 429, which may give a time; returns the seconds until this kind may be requested again.

        If lichess gives no time, challenges and chat wait a minute. Moves, streams and lists, on which a running clock
        depends, are retried soon and then less and less often.
        """
        with self._lock:
            given = seconds
            if seconds is None:
                seconds = self._soon[kind].failed() if kind in self._soon else LIMITED_SECONDS
            for other in Kind:
                if other > kind:
                    patient = given is None and other not in self._soon
                    self._hold(other, LIMITED_SECONDS if patient else seconds)
            self._hold(kind, seconds)
            return max(0.0, self._until[kind] - self._now())

    def worked(self, kind: Kind) -> None:
        """Note that a request of this kind succeeded."""
        with self._lock:
            if kind in self._soon:
                self._soon[kind].worked()

    def _hold(self, kind: Kind, seconds: float) -> None:
        self._until[kind] = max(self._until[kind], self._now() + seconds)
