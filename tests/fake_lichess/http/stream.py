"""One open stream as the server sees it: a short buffer that drops the oldest when the reader is slow."""

import asyncio
from collections import deque
from typing import Any

Json = dict[str, Any]

#: What lichess keeps for a reader that does not read.
BUFFER = 32


class Stream:
    """Events waiting to be written to one connection."""

    def __init__(self) -> None:
        self._events: deque[Json] = deque(maxlen=BUFFER)
        self._news = asyncio.Event()
        self.ended = False

    def offer(self, event: Json) -> None:
        if self.ended:
            return
        self._events.append(event)
        self._news.set()

    def end(self) -> None:
        """No more events; what is waiting is still written."""
        self.ended = True
        self._news.set()

    async def next(self, patience: float) -> Json | None:
        """The next event, or None after ``patience`` real seconds without one; EOFError at the end."""
        if not self._events and not self.ended:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), patience)
            except TimeoutError:
                return None
        if self._events:
            return self._events.popleft()
        raise EOFError
