"""Work done elsewhere, its results in order: by threads of this process, or by other machines
(`trapcore.parallel.dask_cluster`).

The core releases the GIL while it works, so threads use all processors of one machine. The caller says
what to do with which items, and takes the results one after the other, as if nobody else had helped.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from trapcore._native import give_way
from trapcore.parallel.budget import Cancellation

Item = TypeVar("Item")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

Work = Callable[[Item, Cancellation], Result]
"""What is to be done with an item. Once the cancellation is cancelled it ends soon, and what it gives does not count.

It depends on nothing but the item, so that it does not matter which worker does it and how often. Elsewhere it is
made anew from its pickle, with all that it knows."""


class Pending(Protocol[Result_co]):
    """A result that is to come."""

    def result(self) -> Result_co:
        """Wait for it. Raises what the work raised."""

    def cancel(self) -> object:
        """Do not begin with it any more."""


class Pool(Protocol):
    """Threads or a cluster that do the work."""

    @property
    def width(self) -> int:
        """Items that are worked on at the same time, 1 or more; others may join."""

    def submit(self, work: Work[Item, Result], item: Item, stop: Cancellation, /) -> Pending[Result]:
        """Have ``work`` done with an item, some time."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process: all of the executor's, or a share of them."""

    executor: ThreadPoolExecutor
    width: int

    def submit(self, work: Work[Item, Result], item: Item, stop: Cancellation, /) -> Pending[Result]:
        """See `Pool.submit`."""
        return self.executor.submit(work, item, stop)


@contextmanager
def threads(jobs: int, name: str, *, background: bool = False) -> Iterator[Threads]:
    """So many threads (1 or more), until what is under way has ended; ``name`` is the beginning of theirs. With
    ``background`` they give way to others."""
    executor = ThreadPoolExecutor(jobs, thread_name_prefix=name, initializer=give_way if background else None)
    try:
        yield Threads(executor, jobs)
    finally:
        executor.shutdown(cancel_futures=True)


def in_order(
    pool: Pool, work: Work[Item, Result], items: Iterable[Item], *, ahead: int, stop: Cancellation
) -> Generator[tuple[Item, Result]]:
    """Each item with its result, in the order of the items.

    Items are taken as there is room: never more than ``ahead * pool.width + 1`` are under way. In the end, however it
    comes, ``stop`` is cancelled, and with it what is under way: close the generator when you leave it early. Raises
    what the work and the items raise.
    """
    waiting: deque[tuple[Item, Pending[Result]]] = deque()

    def done() -> tuple[Item, Result]:
        item, pending = waiting.popleft()
        return item, pending.result()

    try:
        for item in items:
            waiting.append((item, pool.submit(work, item, stop)))
            while len(waiting) > ahead * pool.width:
                yield done()
        while waiting:
            yield done()
    finally:
        stop.cancel()
        for _, pending in waiting:
            pending.cancel()
