"""Threads that read a stream and reopen it, however it ends. They wait for nothing but the network.

Callers put events into a queue of their own, so that a search, a full disk or a slow chat cannot make a reader miss
events: lichess buffers only the last 32.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from lichess.api import Limited, Refused, Unreachable
from lichess.rate_limits import Backoff

log = logging.getLogger(__name__)

HEALTHY_SECONDS = 5.0
"""A stream that lasted this long was a good one: the back-off begins anew."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StreamCallbacks(Generic[T]):
    """Callbacks of a `StreamReader`, all called in its thread."""

    deliver: Callable[[T, float], None]
    """Takes each event and the monotonic time at which its stream was requested."""
    refused: Callable[[Refused], None]
    """Takes the refusal (4xx) that ended the reading."""
    before: Callable[[], float] = lambda: 0.0
    """Seconds that an opening must still wait; when it returns 0, an opening follows and is counted."""
    not_opened: Callable[[], None] = lambda: None
    """The counted opening never reached lichess."""
    alive: Callable[[], None] = lambda: None
    """An event or a keep-alive has arrived."""


class StreamReader(Generic[T]):
    """One stream, read and reopened by a thread of its own until `stop`."""

    def __init__(
        self,
        name: str,
        open_stream: Callable[[], Iterator[T | None]],
        callbacks: StreamCallbacks[T],
        *,
        backoff: Backoff,
        limits: Backoff,
    ) -> None:
        """``backoff``: waits between openings; ``limits``: waits after a 429 that gives no time."""
        self._open, self._callbacks = open_stream, callbacks
        self._backoff, self._limits = backoff, limits
        self._stopped = threading.Event()
        self._name = name
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Deliver nothing more; the thread ends with the next line, a keep-alive at the latest."""
        self._stopped.set()

    def join(self, seconds: float) -> None:
        """Wait for the thread."""
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._stopped.is_set():
            wait = self._callbacks.before()
            if wait > 0:
                self._stopped.wait(min(wait, 5.0))
                continue
            began = time.monotonic()
            try:
                self._read(began)
                reason, wait = "it ended", 0.0
            except Limited as error:
                reason, wait = str(error), self._limits.failed() if error.seconds is None else error.seconds
            except Refused as error:
                if not self._stopped.is_set():
                    self._callbacks.refused(error)
                return
            except Unreachable as error:
                reason, wait = str(error), 0.0
                if not error.arrived:
                    self._callbacks.not_opened()
            except Exception:
                # A bug must not end the reading for good.
                log.exception("reading %s failed", self._name)
                reason, wait = "of an error of ours", 0.0
            if self._stopped.is_set():
                return
            if time.monotonic() - began >= HEALTHY_SECONDS:
                self._backoff.worked()
                self._limits.worked()
            wait = max(wait, self._backoff.failed())
            log.info("%s is opened again in %.1f s, because %s", self._name, wait, reason)
            self._stopped.wait(wait)

    def _read(self, began: float) -> None:
        stream = self._open()
        try:
            for event in stream:
                if self._stopped.is_set():
                    return
                self._callbacks.alive()
                if event is not None:
                    self._callbacks.deliver(event, began)
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
