"""What many requests wait for at once: places that addresses get in turn. All of it belongs to one event loop."""

import asyncio
from collections import deque
from collections.abc import Callable


class FairQueue:
    """A number of places. An address that asks for many waits for its own: each waiting address gets one place before
    any gets a second one.
    """

    def __init__(self, places: int) -> None:
        """``places``, 1 or more, that can be taken at the same time."""
        self._free = places
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, address: str) -> Callable[[], None]:
        """Wait for a place; call what is returned when it is free again, once or more often."""
        if self._free and not self._waiting:
            self._free -= 1
            return self._once()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
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
        while self._waiting:
            address, own = next(iter(self._waiting.items()))
            turn = own.popleft()
            del self._waiting[address]
            if own:
                self._waiting[address] = own  # behind the others
            if not turn.done():  # otherwise the waiting request has gone
                turn.set_result(None)
                return
        self._free += 1
