"""What is served: the open library, its state, and the threads that work on it while the loop goes on listening."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from fastapi import Request
from sqlalchemy import event

from db.games.explorer import Explorer
from db.library.library import Counts, Library
from db.library.open import made_by
from db.query.engine import QueryEngine
from db.similarity.annotator_index import Screen
from db.similarity.propose import KillerSuggester
from db.traps.trap import Trap
from trapcore.parallel.budget import Cancellation
from web.metrics import Metrics
from web.problems import ClientGone, TooMuch
from web.settings import WebOptions
from web.token import read_token
from web.upload_jobs import Annotations

T = TypeVar("T")

WAITING_TIMES = 16
"""So many questions for each thread may wait; more are refused at once, rather than answered when nobody waits."""

_LOOK_SECONDS = 0.05  # how often a question that takes long looks whether somebody still wants the answer
_STEPS = 20_000  # of SQLite's machine between two looks whether a statement is still wanted; about a millisecond


class Service:
    """The library that is served and the threads that work on it. `service_of` finds it for a request."""

    def __init__(self, library: Library, settings: WebOptions) -> None:
        """Take an open library, which is closed with the service."""
        self.library = library
        self.settings = settings
        self.token = read_token(settings.web)
        self.metrics = Metrics()
        self.annotations = Annotations(settings, self.metrics)
        self.query_engine = QueryEngine(library, measure=settings.measure)
        self.explorer = Explorer(library)
        self.waiting = 0
        """Questions that wait or are worked on."""
        self._lock = threading.Lock()
        self._now = threading.local()
        self._pool = ThreadPoolExecutor(settings.web.threads, thread_name_prefix="question")
        self._counts: tuple[str | None, Counts] | None = None
        if library.database.engine.dialect.name == "sqlite":
            event.listen(library.database.engine, "connect", self._make_endable)

    def close(self) -> None:
        """End the threads and close the library."""
        self.annotations.close()
        self._pool.shutdown(cancel_futures=True)
        self.query_engine.close()
        self.library.close()

    async def work(self, request: Request, do: Callable[[Cancellation], T], *, seconds: float | None = None) -> T:
        """What ``do`` returns, called in another thread with a cancellation that is set when nobody waits any more.

        That is when the client has gone (raises `ClientGone`) or the time for one question, ``seconds`` or that of the
        settings, is over (`TooMuch`); a statement of SQLite that is under way then ends as well. Raises `TooMuch` also
        if too many questions wait already.
        """
        web = self.settings.web
        longest = web.seconds if seconds is None else seconds
        if self.waiting >= web.threads * WAITING_TIMES:
            raise TooMuch("there are more questions than can be answered; ask again in a moment", {"Retry-After": "1"})
        stop = Cancellation()
        end = time.monotonic() + longest
        with self._lock:
            self.waiting += 1
        running = self._pool.submit(self._call, do, stop)
        running.add_done_callback(self._done)
        future = asyncio.wrap_future(running)
        try:
            while not (await asyncio.wait((future,), timeout=_LOOK_SECONDS))[0]:
                if time.monotonic() > end:
                    raise TooMuch(
                        f"the answer takes longer than {longest:g} seconds; ask for less: narrower conditions, a "
                        "smaller limit or fewer nodes"
                    )
                if await request.is_disconnected():
                    raise ClientGone
            return future.result()
        finally:
            if not future.done():
                stop.cancel()
                future.cancel()

    def state(self) -> str | None:
        """Another text whenever the library may have changed; None if that cannot be told without reading it."""
        parts = [made_by()]
        if "://" in self.library.name:
            return None
        for path in (self.library.name, f"{self.library.name}-wal"):
            with suppress(FileNotFoundError):
                found = Path(path).stat()
                parts.append(f"{found.st_ino} {found.st_size} {found.st_mtime_ns}")
        return blake2b("\n".join(parts).encode(), digest_size=12).hexdigest()

    def counts(self) -> Counts:
        """How much the library has of everything; counted once for each state. Raises `LibraryError`."""
        state = self.state()
        counted = self._counts
        if counted is None or state is None or counted[0] != state:
            counted = self._counts = (state, self.library.counts())
        return counted[1]

    def known(self) -> tuple[list[Trap], Screen]:
        """All traps, and the screen by which the measure ``abstracted`` finds them; read once for each state."""
        return self.query_engine.indexes.annotator()

    def suggester(self, top: int, nodes: int, *, explain: bool) -> KillerSuggester:
        """What proposes killers, by the library as it is now. Raises `LibraryError`."""
        index = self.query_engine.indexes.killers()
        return KillerSuggester((index.weights, index.source), index.killers, top=top, nodes=nodes, explain=explain)

    def _call(self, do: Callable[[Cancellation], T], stop: Cancellation) -> T:
        self._now.stop = stop
        try:
            return do(stop)
        finally:
            self._now.stop = None

    def _make_endable(self, connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(partial(_is_over, self._now), _STEPS)

    def _done(self, _: "Future[T]") -> None:
        with self._lock:
            self.waiting -= 1


def service_of(request: Request) -> Service:
    """What serves this request."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


def _is_over(now: threading.local) -> bool:
    stop: Cancellation | None = getattr(now, "stop", None)
    return stop is not None and stop.is_cancelled
