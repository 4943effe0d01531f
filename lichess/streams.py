"""Threads that read a stream for ever: whatever ends it, it is opened again. They never wait for anything but the net.

What is read goes into a queue of whoever listens, so that a search, a full disk or a slow chat cannot make a reader
miss what lichess says (it keeps only the last 32 events).
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from lichess.api import Limited, Refused, Unreachable
from lichess.rate_limits import Backoff

log = logging.getLogger(__name__)

HEALTHY_SECONDS = 5.0
"""A stream that held for so long was a good one: the next opening does not wait longer than the first."""

T = TypeVar("T")


class StreamReader(Generic[T]):
    """One stream, read by a thread of its own until `stop`."""

    def __init__(
        self,
        name: str,
        open_stream: Callable[[], Iterator[T | None]],
        deliver: Callable[[T, float], None],
        refused: Callable[[Refused], None],
        *,
        backoff: Backoff,
        limits: Backoff,
        before: Callable[[], float] = lambda: 0.0,
        not_opened: Callable[[], None] = lambda: None,
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        """``deliver`` is given each event with the monotonic time at which its stream was asked for; ``refused`` ends
        the reading (lichess said 4xx); ``limits`` are the waits after a 429 that names none. ``before`` gives seconds
        that an opening must still wait and counts it when they are 0, ``not_opened`` says that lichess never saw it;
        ``alive`` is called for each event and keep-alive.
        """
        self._open, self._deliver, self._refused = open_stream, deliver, refused
        self._backoff, self._limits = backoff, limits
        self._before, self._not_opened, self._alive = before, not_opened, alive
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
            wait = self._before()
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
                    self._refused(error)
                return
            except Unreachable as error:
                reason, wait = str(error), 0.0
                if not error.arrived:
                    self._not_opened()
            except Exception:
                # A bug must not make the bot deaf.
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
                self._alive()
                if event is not None:
                    self._deliver(event, began)
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
