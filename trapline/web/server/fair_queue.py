"""What many requests wait for at once: places and rounds that addresses get in turn, and answers that they share.

All of it belongs to one event loop.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Waiting(Generic[T]):
    """What waits, by address: one of each address is taken before any has a second one taken."""

    def __init__(self) -> None:
        self._of_address: dict[str, deque[T]] = {}

    def __bool__(self) -> bool:
        return bool(self._of_address)

    def add(self, address: str, what: T) -> None:
        self._of_address.setdefault(address, deque()).append(what)

    def take(self) -> T:
        address, own = next(iter(self._of_address.items()))
        what = own.popleft()
        del self._of_address[address]
        if own:
            self._of_address[address] = own  # behind the others
        return what


class FairQueue:
    """A number of places. An address that asks for many waits for its own: each waiting address gets one place before
    any gets a second one.
    """

    def __init__(self, places: int) -> None:
        """``places``, 1 or more, that can be taken at the same time."""
        self._free = places
        self._waiting: _Waiting[asyncio.Future[None]] = _Waiting()

    async def take(self, address: str) -> Callable[[], None]:
        """Wait for a place; call what is returned when it is free again, once or more often."""
        if self._free and not self._waiting:
            self._free -= 1
            return self._once()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(address, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give()
            raise
        return self._once()

    def _once(self) -> Callable[[], None]:
        taken = [True]

        def free() -> None:
            if taken:
                taken.clear()
                self._give()

        return free

    def _give(self) -> None:
        """Give a place to the next in the queue."""
        while self._waiting:
            turn = self._waiting.take()
            if not turn.done():  # otherwise the waiting request has gone
                turn.set_result(None)
                return
        self._free += 1


class Rounds:
    """Calls that are made a few in each round of the event loop, in turn by address, so that no round is long."""

    def __init__(self, calls: int) -> None:
        """``calls``, 1 or more, in each round."""
        self._most = self._left = calls
        self._waiting: _Waiting[Callable[[], None]] = _Waiting()
        self._is_begun = False

    def add(self, address: str, call: Callable[[], None]) -> bool:
        """Make a call if there is room in this round and nobody waits, else later; whether it was made."""
        if not self._is_begun:
            self._is_begun = True
            asyncio.get_running_loop().call_soon(self._next)
        if self._waiting or not self._left:
            self._waiting.add(address, call)
            return False
        self._left -= 1
        call()
        return True

    def _next(self) -> None:
        self._is_begun = bool(self._waiting)
        if self._is_begun:
            asyncio.get_running_loop().call_soon(self._next)
        self._left = self._most
        while self._waiting and self._left:
            self._left -= 1
            self._waiting.take()()


class SharedAnswer(Generic[T]):
    """Answer that is made for all who wait for it together, after the last of them has asked, so that none is old."""

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        """``make`` is called whenever somebody waits and the call before has ended."""
        self._make = make
        self._running: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """The answer. Raises what ``make`` raises."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
            self._next.add_done_callback(_retrieve)
        return await asyncio.shield(self._next)

    async def _after(self, before: asyncio.Task[T] | None) -> T:
        if before is not None:
            await asyncio.wait((before,))
        self._running, self._next = self._next, None
        return await self._make()


def _retrieve(task: asyncio.Task[T]) -> None:
    """Take note of an error that nobody waits for any more, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()
