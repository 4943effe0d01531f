"""The clock, and being told to stop. Times are seconds since 1970, UTC; nothing here knows of time zones."""

import threading
import time
from datetime import UTC, datetime
from typing import Protocol

from trapcore.parallel.budget import Cancellation


class Stopped(Exception):
    """The work was told to stop; what is done is kept."""


class Times(Protocol):
    """What time it is, and how waiting is done."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Return after so many seconds, or as soon as the event is set."""
        ...


class RealTimes:
    """The machine's clock."""

    def now(self) -> float:
        """By the machine's clock."""
        return time.time()

    def wait(self, event: threading.Event, seconds: float) -> None:
        """In real seconds, whatever is done to the clock meanwhile."""
        event.wait(seconds)


def stamp(seconds: float) -> str:
    """``2026-11-22T01:02:03Z``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Halt:
    """By which one piece of work learns that it shall stop."""

    def __init__(self, times: Times) -> None:
        """Nobody has said so yet."""
        self.cancellation = Cancellation()
        """The same for what works in the Rust core."""
        self._times = times
        self._told = threading.Event()

    def stop(self) -> None:
        """Say so; from any thread."""
        self._told.set()
        self.cancellation.cancel()

    @property
    def is_told(self) -> bool:
        """Whether somebody has."""
        return self._told.is_set()

    def check(self) -> None:
        """Raise `Stopped` if somebody has."""
        if self._told.is_set():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Wait. Raises `Stopped` as soon as somebody says so."""
        self.check()
        self._times.wait(self._told, seconds)
        self.check()
