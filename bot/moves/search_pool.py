"""Thread pool for the searches of all games.

More searches than processors would not find more, but delay the threads that read events and send moves. So searches
queue, each with a share of its time, and one processor is left free: with two processors and eight games that halves
the latency of a move.
"""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search

SHORTEST = 3
"""Milliseconds that a search gets even if its time is up."""

T = TypeVar("T")


class SearchPool:
    """Threads for searches, one fewer than there are processors, and one for work that can wait."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count if count is not None else max(1, (os.cpu_count() or 1) - 1)
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="search", initializer=_begin_to_search)
        self._later = ThreadPoolExecutor(1, thread_name_prefix="judge")
        self._stop = Cancellation()
        self._load = 0
        self._lock = threading.Lock()

    def run(self, milliseconds: int, work: Callable[[int], T]) -> T:
        """Result of ``work``, which gets the milliseconds that it may take; all in about ``milliseconds``."""
        deadline = time.monotonic() + milliseconds / 1000

        def at_work() -> T:
            left = 1000 * (deadline - time.monotonic())
            with self._stop:
                return work(max(SHORTEST, int(min(share, left))))

        with self._lock:
            self._load += 1
            share = milliseconds * min(1.0, self.count / self._load)
        try:
            return self._pool.submit(at_work).result()
        finally:
            with self._lock:
                self._load -= 1

    def later(self, work: Callable[[], T]) -> T:
        """Result of ``work`` that can wait; one piece of work at a time."""

        def at_work() -> T:
            with self._stop:
                return work()

        return self._later.submit(at_work).result()

    def warm_up(self) -> None:
        """Start the threads for searches before the first move needs them."""
        for _ in range(self.count):
            self._pool.submit(time.sleep, 0.02)

    def close(self) -> None:
        """Take no more work, and cut off what is under way: its results are ``RuntimeError``."""
        self._stop.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._later.shutdown(wait=False, cancel_futures=True)


def _begin_to_search() -> None:
    """Search once, because the first search of a thread allocates its tables."""
    search("8/8/8/8/8/4k3/8/R3K3 w - - 0 1", Budget(depth=1))
