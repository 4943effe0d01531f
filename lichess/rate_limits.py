"""How fast streams may be opened again, and what a 429 holds up. Clocks are given from outside, in seconds."""

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import IntEnum

OPENS = 28
"""Openings of the account's stream in `WINDOW_SECONDS`; lichess allows 30, two are kept for a restart by hand."""

QUICK_OPENS = 14

WINDOW_SECONDS = 600.0

LIMITED_SECONDS = 60.0
"""How long to wait after a 429 that does not say: lichess asks for a full minute."""


class Backoff:
    """Waiting times that double from ``first`` to ``most`` seconds, each spread from half of it to the whole.

    The spread keeps all the bots of the world from coming back in the same second after lichess was restarted.
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


class Openings:
    """Counts openings, so that never more than `OPENS` fall into `WINDOW_SECONDS`.

    The counts are wall-clock seconds: they survive a restart, which is when they are needed most.
    """

    def __init__(self, before: list[float], now: Callable[[], float] = time.time) -> None:
        """``before`` are the times of earlier openings."""
        self._now = now
        self._times: deque[float] = deque(t for t in sorted(before) if t <= now())

    def wait(self) -> float:
        """Seconds until the next opening is allowed, 0 if it is now.

        `QUICK_OPENS` may come as fast as the back-off likes, the others evenly, so that the budget is never used up
        for minutes.
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
        """Count one; gives the times to be kept for after a restart."""
        self._forget()
        self._times.append(self._now())
        return list(self._times)

    def not_opened(self) -> list[float]:
        """Lichess has not seen the last one; gives what is to be kept."""
        if self._times:
            self._times.pop()
        return list(self._times)

    def _forget(self) -> None:
        now = self._now()
        while self._times and self._times[0] <= now - WINDOW_SECONDS:
            self._times.popleft()
        while self._times and self._times[-1] > now:
            # The clock was put back: what lies in the future is no guide.
            self._times.pop()


class Kind(IntEnum):
    """Requests by how much they matter: a 429 holds up its own kind and what matters less."""

    MOVE = 0
    """Moves, and everything else a game hangs on."""
    LISTEN = 1
    """Streams, and the list of running games."""
    CHALLENGE = 2
    """Answers to challenges, and challenges of our own."""
    CHAT = 3


class Pauses:
    """When each kind of request may be made again, shared by all threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = dict.fromkeys(Kind, 0.0)
        self._soon = {Kind.MOVE: Backoff(0.5, 8.0), Kind.LISTEN: Backoff(2.0, LIMITED_SECONDS)}
        self._lock = threading.Lock()

    def wait(self, kind: Kind) -> float:
        """Seconds until a request of this kind may be made, 0 if it is now."""
        with self._lock:
            return max(0.0, self._until[kind] - self._now())

    def limited(self, kind: Kind, seconds: float | None) -> float:
        """A 429 came, which may have said how long to wait; the seconds until this kind may go on.

        Where lichess does not say, challenges and chat wait a minute. What a running clock hangs on tries again soon
        and then less and less often: moves, and streams and lists, without which a game is not even known.
        """
        with self._lock:
            asked = seconds
            if seconds is None:
                seconds = self._soon[kind].failed() if kind in self._soon else LIMITED_SECONDS
            for other in Kind:
                if other > kind:
                    patient = asked is None and other not in self._soon
                    self._hold(other, LIMITED_SECONDS if patient else seconds)
            self._hold(kind, seconds)
            return max(0.0, self._until[kind] - self._now())

    def worked(self, kind: Kind) -> None:
        """A request of this kind went through."""
        with self._lock:
            if kind in self._soon:
                self._soon[kind].worked()

    def _hold(self, kind: Kind, seconds: float) -> None:
        self._until[kind] = max(self._until[kind], self._now() + seconds)
