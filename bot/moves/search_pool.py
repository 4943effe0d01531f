"""The native work of all games on the processors there are, so that what has to be quick never waits for it.

More searches at once than processors would not find more, but keep the threads waiting that read events and send moves.
So they take turns, each with a share of its time, and leave one processor to those others: on two processors at eight
games that halves how long a move is on its way.
"""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from trapcore.parallel.budget import Budget
from trapcore.proof.search import search

SHORTEST = 3
"""Milliseconds that work gets even if its time is up."""

T = TypeVar("T")


class Processors:
    """Threads for searches, one fewer than there are processors, and one for what is in no hurry."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count if count is not None else max(1, (os.cpu_count() or 1) - 1)
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="search", initializer=_begin_to_search)
        self._later = ThreadPoolExecutor(1, thread_name_prefix="judge")
        self._load = 0
        self._lock = threading.Lock()

    def run(self, milliseconds: int, work: Callable[[int], T]) -> T:
        """What ``work`` gives, which is told how many milliseconds it may take; all in about ``milliseconds``."""
        deadline = time.monotonic() + milliseconds / 1000

        def at_work() -> T:
            left = 1000 * (deadline - time.monotonic())
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
        """What ``work`` gives, one after the other."""
        return self._later.submit(work).result()

    def warm_up(self) -> None:
        """Start the threads for searches before the first move needs them."""
        for _ in range(self.count):
            self._pool.submit(time.sleep, 0.02)

    def close(self) -> None:
        """Take nothing more; what runs ends when its time is up."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._later.shutdown(wait=False, cancel_futures=True)


def _begin_to_search() -> None:
    """The tables are made when a thread first searches: not during a game."""
    search("8/8/8/8/8/4k3/8/R3K3 w - - 0 1", Budget(depth=1))
