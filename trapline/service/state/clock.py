"""The clock, and the flag by which work is stopped. Times are seconds since 1970, UTC; time zones play no part."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from db.storage.column_types import time_text
from trapcore.parallel.budget import Cancellation


class Stopped(Exception):
    """The stop flag was set; what is done by then stays done."""


class Clock:
    """The machine's clock. Tests have another one, with another pace."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Return after so many real seconds, or as soon as the event is set."""
        event.wait(seconds)


def stamp(seconds: float) -> str:
    """ISO 8601 timestamp in UTC, such as ``2026-11-22T01:02:03Z``."""
    return time_text(datetime.fromtimestamp(seconds, UTC))


class StopFlag:
    """Flag by which one piece of work learns that it is to stop; may be set from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._cancellations: list[Cancellation] = []

    def set(self) -> None:
        """Ask the work to stop."""
        self._event.set()
        with self._lock:
            for cancellation in self._cancellations:
                cancellation.cancel()

    @contextmanager
    def cancellation(self) -> Iterator[Cancellation]:
        """Flag for one call of the Rust core, or for calls that end together: this one sets it, and not the reverse."""
        cancellation = Cancellation()
        with self._lock:
            self._cancellations.append(cancellation)
        try:
            if self.is_set:
                cancellation.cancel()
            yield cancellation
        finally:
            with self._lock:
                self._cancellations.remove(cancellation)

    @property
    def is_set(self) -> bool:
        """Whether the work is to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise `Stopped` if the flag is set."""
        if self._event.is_set():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Wait so many seconds. Raises `Stopped` as soon as the flag is set."""
        self.check()
        self._clock.wait(self._event, seconds)
        self.check()
