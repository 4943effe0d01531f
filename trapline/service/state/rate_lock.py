"""One request at a time to lichess, and to chess.com, over all processes that work for a library, as both ask of their
clients."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lichess.api import Limited
from lichess.rate_limits import LIMITED_SECONDS
from trapline.service.state.clock import StopFlag
from trapline.service.state.locks import ProcessLocks

log = logging.getLogger(__name__)

LOCK_NAME = "lichess"
MAX_SECONDS = 3600.0
"""Longest wait after a 429 in one go; a job that would have to wait longer goes on with its next run."""

POLL_SECONDS = 0.5
"""Interval at which a lock of another process is tried again."""


class RateLock:
    """Lock that is held during each request to one server."""

    def __init__(self, locks: ProcessLocks, name: str = LOCK_NAME) -> None:
        """``name`` of the lock, the same in all processes."""
        self._locks = locks
        self._name = name
        self._thread_lock = threading.Lock()
        """Between the threads of this process no database is needed."""

    @contextmanager
    def hold(self, stop_flag: StopFlag, *, pauses: bool = True) -> Iterator[None]:
        """Hold the lock during the block, which makes one request. Raises `Stopped` while waiting for the lock.

        If the block raises `Limited` (429), the lock is held for as long as lichess demands, or for a minute, unless
        ``pauses`` is False.
        """
        while not self._thread_lock.acquire(timeout=POLL_SECONDS):
            stop_flag.check()
        try:
            while True:
                with self._locks.hold(self._name) as is_held:
                    if is_held:
                        yield from self._pause_after_429(stop_flag) if pauses else iter([None])
                        return
                stop_flag.wait(POLL_SECONDS)
        finally:
            self._thread_lock.release()

    @staticmethod
    def _pause_after_429(stop_flag: StopFlag) -> Iterator[None]:
        try:
            yield
        except Limited as error:
            seconds = min(LIMITED_SECONDS if error.seconds is None else error.seconds, MAX_SECONDS)
            log.warning("%s; no requests for %.0f s", error, seconds)
            stop_flag.wait(seconds)
            raise
