"""State of the application: the open library, a cache, and the threads that work on it beside the event loop."""

import asyncio
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar, cast

from cachetools import LRUCache
from fastapi import Request
from sqlalchemy import event

from annotator.known_traps import KnownTraps
from db.games.accounts import SiteAccount
from db.library.library import Counts, Library
from db.library.open import made_by, open_library
from db.patterns.recall import recall_of
from db.proof.position_values import PositionValues
from db.query.engine import QueryEngine
from db.similarity.propose import MoveSuggester
from db.storage.trap_rows import traps_state
from trapcore._native import give_way
from trapcore.errors import LibraryError, Message
from trapcore.parallel.budget import Cancellation
from trapline.web.jobs import Jobs
from trapline.web.metrics import Metrics
from trapline.web.problems import STOPS, ClientDisconnected, Overloaded
from trapline.web.server.fair_queue import FairQueue
from trapline.web.server.limits import address_of
from trapline.web.settings import WebOptions
from trapline.web.sign_ins import SignIns
from trapline.web.token import KEY_BYTES, read_token, session_key, session_key_file

T = TypeVar("T")

OnStop = Callable[[Callable[[], None]], None]
"""Takes what is to be called when the work is to stop, at once if it is to stop already."""

FetchGames = Callable[[str, str, int, OnStop], list[str]]
"""Fetches the latest finished games of an account as PGN: by the site, ``lichess`` or ``chess.com``, the name, and how
many. Raises `TraplineError`, which says if there is no such account."""

FetchStudy = Callable[[str], str]
"""Reads a study of lichess as PGN, by its id. Raises `TraplineError`, which says if it is private or missing."""

MAX_ENTRIES = 512
"""Values in the cache of what the pages show."""

QUEUE_PER_THREAD = 16
"""Pending requests of an address for each thread; one more is refused, not answered when its client has gone."""

WAIT_SECONDS = 3.0
"""Longest time that a request waits for a thread; after it the answer is that there is too much to do."""

SILENT_SECONDS = 30.0
"""After so long without a round of the event loop the server is not well."""

HEALTH_COUNTS = ("traps", "proved", "refuted", "undecided", "games", "positions")
"""What ``/health`` says of the library."""

SIGN_INS = 4
"""Threads that wait for lichess while somebody signs in."""

SIGN_IN_SECONDS = 30.0
"""Longest time that a sign-in takes. What lichess is asked ends sooner, see `lichess.oauth`."""

BUSY_SECONDS = 2.0
"""Time in seconds to wait for another program that writes to the library."""

_POLL_SECONDS = 0.05  # between two checks of a slow request for its deadline and its client
_BUSY = Message("there are more questions than can be answered; ask again in a moment")
_STEPS = 20_000  # of SQLite's virtual machine between two checks for cancellation; about a millisecond


class LibraryCache:
    """LRU cache of values computed from the library; any number of threads may use it."""

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        """Empty cache of at most ``max_entries``, 1 or more."""
        self._entries: LRUCache[Hashable, tuple[str, object]] = LRUCache(max_entries)
        self._lock = threading.Lock()

    def get(self, state: str | None, key: Hashable, compute: Callable[[], T]) -> T:
        """Value of ``key``, from the cache or by ``compute``; a key always has a value of the same type.

        ``state`` identifies the state of what the value is made of, read before ``compute`` is called; a value of
        another state is not used again. With None the state is unknown and nothing is cached.
        """
        if state is None:
            return compute()
        with self._lock:
            found = self._entries.get(key)
        if found is not None and found[0] == state:
            return cast(T, found[1])
        value = compute()
        with self._lock:
            self._entries[key] = (state, value)
        return value


class WorkPool:
    """Some threads, which addresses get in turn, and before them a queue of each address with an end."""

    def __init__(self, threads: int, name: str, *, background: bool = False) -> None:
        """``threads``, 1 or more, whose names begin with ``name``; with ``background`` they give way to others."""
        self._of_address: Counter[str] = Counter()
        self._most = threads * QUEUE_PER_THREAD
        self._places = FairQueue(threads)
        initializer = give_way if background else None
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=initializer)

    @property
    def pending(self) -> int:
        """Requests that wait for a thread or have one."""
        return self._of_address.total()

    async def run(
        self, request: Request, task: Callable[[Cancellation], T], stop: Cancellation, seconds: float
    ) -> asyncio.Future[T]:
        """What has come of ``task``, called in a thread; ``stop`` is cancelled if nobody waits for it any more.

        Raises `Overloaded` if too many requests of the address are pending, if it got none of the threads in time, and
        at the end of ``seconds``; and `ClientDisconnected`.
        """
        address = address_of(request.scope)
        if self._of_address[address] >= self._most:
            raise Overloaded(_BUSY, {"Retry-After": "1"})
        began = time.monotonic()
        future = await self._begin(address, partial(task, stop), min(WAIT_SECONDS, seconds))
        try:
            while not (await asyncio.wait((future,), timeout=_POLL_SECONDS))[0]:
                if time.monotonic() - began > seconds:
                    raise Overloaded(
                        "the answer takes longer than {seconds:g} seconds; ask for less: narrower conditions, a "
                        "smaller limit or fewer nodes",
                        seconds=seconds,
                    )
                if await request.is_disconnected():
                    raise ClientDisconnected
        finally:
            if not future.done():
                stop.cancel()
                future.cancel()
        return future

    def close(self) -> None:
        """End the threads; a request that waits for one is refused."""
        self._executor.shutdown(cancel_futures=True)

    async def _begin(self, address: str, task: Callable[[], T], seconds: float) -> asyncio.Future[T]:
        """Start ``task`` in a thread as soon as the address gets one. Raises `Overloaded` after ``seconds``."""
        self._of_address[address] += 1
        loop = asyncio.get_running_loop()
        give_back: Callable[[], None] = _nothing

        def end() -> None:
            give_back()
            self._of_address[address] -= 1
            self._of_address = +self._of_address

        def end_in_loop(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has ended before the thread
                loop.call_soon_threadsafe(end)

        try:
            async with asyncio.timeout(seconds):
                give_back = await self._places.take(address)
            running = self._executor.submit(task)
        except BaseException as error:
            end()
            if isinstance(error, TimeoutError):
                raise Overloaded(_BUSY, {"Retry-After": "2"}) from error
            if isinstance(error, RuntimeError):
                raise Overloaded(STOPS) from error
            raise
        # Not when nobody waits for it any more: the thread may not have noticed yet.
        running.add_done_callback(end_in_loop)
        return asyncio.wrap_future(running)


class Service:
    """Library, settings and thread pool of an application; `service_of` gives that of a request."""

    def __init__(
        self,
        library: Library,
        settings: WebOptions,
        fetch_games: FetchGames | None = None,
        fetch_study: FetchStudy | None = None,
    ) -> None:
        """Service of an open library, which it closes; the two functions fetch games of accounts, and studies."""
        self.library = library
        self.settings = settings
        self.token = read_token(settings.web)
        can_sign_in = settings.web.can_sign_in
        self.session_key = (
            session_key(session_key_file(library.name)) if can_sign_in else secrets.token_bytes(KEY_BYTES)
        )
        """Signs the cookies of signed-in visitors."""
        self.metrics = Metrics()
        self.values = PositionValues(library, self.open_for_writing, settings.engine_command, settings.engine_nodes)
        self.jobs = Jobs(settings, self.metrics)
        self.analysis_threads = ThreadPoolExecutor(settings.jobs, "analysis", initializer=give_way)
        """In which all uploads are analysed."""
        self.fetch_games = fetch_games
        self.fetch_study = fetch_study
        self.query_engine = QueryEngine(library, measure=settings.measure)
        self.page_cache = LibraryCache()
        self._lock = threading.Lock()
        self._running = threading.local()
        self._stops: set[Cancellation] = set()
        self._pages = WorkPool(settings.web.threads, "request")
        self._searches = WorkPool(max(1, settings.web.threads // 2), "search", background=True)
        self._exports = WorkPool(1, "export", background=True)
        self.sign_ins = SignIns(settings.web, self.session_key)
        self._sign_ins = WorkPool(SIGN_INS, "sign-in")
        self._health = WorkPool(1, "health")
        self._alive = time.monotonic()
        if library.database.engine.dialect.name == "sqlite":
            event.listen(library.database.engine, "connect", self._install_interrupt)

    def close(self) -> None:
        """Stop the threads and close the library."""
        self.cancel_all()
        self.jobs.close()
        self.analysis_threads.shutdown()
        for pool in (self._pages, self._searches, self._exports, self._sign_ins, self._health):
            pool.close()
        self.query_engine.close()
        self.library.close()

    def cancel_all(self) -> None:
        """End what all requests and uploads wait for; each gets an error."""
        with self._lock:
            stops = list(self._stops)
        for stop in stops:
            stop.cancel()
        self.jobs.cancel_all()

    @property
    def pending(self) -> int:
        """Requests that wait for a thread or have one, except those about health."""
        return sum(pool.pending for pool in (self._pages, self._searches, self._exports, self._sign_ins))

    async def run(self, request: Request, task: Callable[[Cancellation], T], *, seconds: float | None = None) -> T:
        """Result of ``task``, called in the thread pool with a cancellation: for what is read and shown.

        It is cancelled, and with it an SQLite statement and every call of the core that it makes, when the client
        disconnects (raises `ClientDisconnected`), at the deadline, ``seconds`` or that of the settings, and when the
        server stops (raises `Overloaded`). Raises `Overloaded` also if too many requests are pending.
        """
        return await self._run_in(self._pages, request, task, seconds)

    async def search(self, request: Request, task: Callable[[Cancellation], T], *, seconds: float | None = None) -> T:
        """The same in threads of their own, which give way to the others: for what is computed on demand, so that no
        number of searches keeps the pages from their threads."""
        return await self._run_in(self._searches, request, task, seconds)

    async def export(self, request: Request, task: Callable[[Cancellation], T], *, seconds: float | None = None) -> T:
        """The same in one thread for all exports: one may search for minutes, and the next finds what it has found."""
        return await self._run_in(self._exports, request, task, seconds)

    async def sign_in(self, request: Request, task: Callable[[Cancellation], T]) -> T:
        """The same in threads that wait for lichess, so that no page waits for it."""
        return await self._run_in(self._sign_ins, request, task, SIGN_IN_SECONDS)

    async def run_health(self, request: Request, task: Callable[[Cancellation], T]) -> T:
        """The same in a thread that no other request has: for what watches the server."""
        return await self._run_in(self._health, request, task, None)

    async def _run_in(
        self, pool: WorkPool, request: Request, task: Callable[[Cancellation], T], seconds: float | None
    ) -> T:
        stop = Cancellation()
        with self._lock:
            self._stops.add(stop)
        try:
            longest = self.settings.web.seconds if seconds is None else seconds
            done = await pool.run(request, partial(self._call, task), stop, longest)
            try:
                return done.result()
            except (RuntimeError, LibraryError) as error:
                if stop.is_cancelled:
                    raise Overloaded(STOPS) from error
                raise
        finally:
            with self._lock:
                self._stops.discard(stop)

    def open_for_writing(self) -> Library:
        """Second connection to the library that is served, for writing. Raises `LibraryError`."""
        url = self.library.database.engine.url
        name = url.render_as_string(hide_password=False) if "://" in self.library.name else self.library.name
        return open_library(name, busy_seconds=BUSY_SECONDS)

    def state(self) -> str | None:
        """Identifier of the present state of the library; None if it is unknown, as on a database server."""
        parts = [made_by()]
        if "://" in self.library.name:
            return None
        for path in (self.library.name, f"{self.library.name}-wal"):
            with suppress(FileNotFoundError):
                found = Path(path).stat()
                parts.append(f"{found.st_ino} {found.st_size} {found.st_mtime_ns}")
        return blake2b("\n".join(parts).encode(), digest_size=12).hexdigest()

    def traps_state(self) -> str:
        """Identifier of the state of the traps, which games and answers do not change. Raises `LibraryError`."""
        with self.library.database.read() as connection:
            return traps_state(connection)

    def renew_index(self) -> None:
        """Bring the index up to date after the traps were changed, so that no page has to do it first."""
        with suppress(LibraryError):  # the change is stored; the next user of the index gets the error
            self.query_engine.indexes.killers()

    def health(self) -> dict[str, object]:
        """What ``/health`` says. It may be asked in any thread, also beside the event loop."""
        problem, counts = None, None
        try:
            counts = self.counts()
        except LibraryError as error:
            problem = str(error)
        silent = time.monotonic() - self._alive
        if silent > SILENT_SECONDS:
            problem = f"no request has been looked at for {silent:.0f} seconds"
        return {
            "ok": problem is None,
            "version": made_by(),
            "problem": problem,
            "library": None
            if counts is None
            else {
                **{name: getattr(counts, name) for name in HEALTH_COUNTS},
                "state": self.state(),
                "writable": self.token is not None,
            },
        }

    async def note_life(self) -> None:
        """Note again and again, until it is cancelled, that the event loop goes on; `health` reports if it does not."""
        while True:
            self._alive = time.monotonic()
            await asyncio.sleep(1)

    def counts(self) -> Counts:
        """Numbers of rows in the library, counted once for each state of it. Raises `LibraryError`."""
        return self.page_cache.get(self.state(), "counts", self.library.counts)

    def known_traps(self, only: SiteAccount | None) -> KnownTraps:
        """All traps with their index for the annotator, read once for each state of the library, and the earlier games
        that comments may name: those of ``only`` this account, of all players if it is None."""
        return KnownTraps(*self.query_engine.indexes.annotator(), recall=recall_of(self.library, only))

    def suggester(self, top: int, nodes: int, *, unproved: bool, explain: bool) -> MoveSuggester:
        """Proposer of moves, by the present state of the library. Raises `LibraryError`."""
        index = self.query_engine.indexes.killers()
        return MoveSuggester(
            (index.weights, index.source), index.killers, top=top, nodes=nodes, unproved=unproved, explain=explain
        )

    def _call(self, task: Callable[[Cancellation], T], stop: Cancellation) -> T:
        self._running.stop = stop
        try:
            with stop:
                return task(stop)
        finally:
            self._running.stop = None

    def _install_interrupt(self, connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(partial(_is_cancelled, self._running), _STEPS)


def service_of(request: Request) -> Service:
    """Service of the application that handles the request."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


def _is_cancelled(running: threading.local) -> bool:
    stop: Cancellation | None = getattr(running, "stop", None)
    return stop is not None and stop.is_cancelled


def _nothing() -> None:
    pass
