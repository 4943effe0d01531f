"""Threads that give way: only what the core does for them has a lower priority."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import pytest

from tests.support.polling import PATIENCE_SECONDS
from trapcore._native import give_way
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search


def _nice_values() -> dict[int, int]:
    """Nice value of each thread of this process (proc(5), field 19 of ``stat``)."""
    found = {}
    for folder in Path("/proc/self/task").iterdir():
        try:
            found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[16])
        except OSError:  # it has ended
            continue
    return found


def _new(known: set[int]) -> dict[int, int]:
    return {thread: nice for thread, nice in _nice_values().items() if thread not in known}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_a_thread_that_gives_way_keeps_its_priority_and_its_searches_have_a_lower_one() -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    stop, known = Cancellation(), set(_nice_values())

    def work() -> int:
        search(chess.STARTING_FEN, Budget(nodes=2**40), stop)
        return threading.get_native_id()

    with ThreadPoolExecutor(1, initializer=give_way) as pool:
        running = pool.submit(work)
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while min(19, own + 10) not in (made := _new(known)).values():
                assert time.monotonic() < end, f"nothing has a lower priority: {made}"
                time.sleep(0.01)
        finally:
            stop.cancel()
        asking = running.result()
    assert made.pop(asking) == own
    assert list(made.values()) == [min(19, own + 10)]
