"""Virtual clock of the server, so that a test can let time pass without waiting."""

import asyncio
import contextlib
import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False)
class Timer:
    """Call at ``when`` (seconds of the virtual clock), unless cancelled before."""

    when: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """Seconds since the server began, ``speed`` times as fast as real ones (0: only ``advance`` moves them).

    Used from the server's event loop alone.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        #: Seconds by which the dates the server tells are wrong; its clocks are not touched.
        self.skew = 0.0
        self._began = time.monotonic()
        self._epoch = time.time()
        self._ahead = 0.0
        self._due: list[tuple[float, int, Timer]] = []
        self._count = itertools.count()
        self._earlier = asyncio.Event()

    def now(self) -> float:
        return (time.monotonic() - self._began) * self.speed + self._ahead

    def wall_ms(self) -> int:
        """The date as the server tells it: milliseconds since 1970, with the ordered skew."""
        return int((self._epoch + self.now() + self.skew) * 1000)

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        made = Timer(self.now() + seconds, call)
        heapq.heappush(self._due, (made.when, next(self._count), made))
        self._earlier.set()
        return made

    def advance(self, seconds: float) -> None:
        """Let time pass at once; everything due on the way happens at its own moment."""
        target = self.now() + seconds
        while self._due and self._due[0][0] <= target:
            self._ahead += max(0.0, self._due[0][0] - self.now())
            self._happen()
        self._ahead += max(0.0, target - self.now())

    def _happen(self) -> None:
        _, _, timer = heapq.heappop(self._due)
        if not timer.cancelled:
            timer.call()

    async def run(self) -> None:
        """Run the timers until cancelled."""
        while True:
            while self._due and self._due[0][0] <= self.now():
                self._happen()
            self._earlier.clear()
            wait = None
            if self._due and self.speed > 0:
                wait = (self._due[0][0] - self.now()) / self.speed
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._earlier.wait(), wait)
