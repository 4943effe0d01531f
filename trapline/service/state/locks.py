"""Locks between processes, as rows of the table ``leases``.

The holder of a lock increments the row's heartbeat counter. A waiting process takes the row over when the counter has
stood still for `SILENT_SECONDS` by its own monotonic clock: so a lock outlives a dead holder by that much, and neither
a clock that is set forward or back nor two clocks that disagree can take it from a living one.
"""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from db.storage.database import Database
from db.storage.tables import LeaseRow
from lichess.api import Limited
from lichess.rate_limits import LIMITED_SECONDS
from trapcore.errors import LibraryError
from trapline.service.state.clock import StopFlag, stamp

log = logging.getLogger(__name__)

BEAT_SECONDS = 10.0
SILENT_SECONDS = 60.0


@dataclass(slots=True)
class _Observation:
    """Observation of another process's lock, from when to when (monotonic seconds)."""

    holder: str
    beat: int
    first: float
    last: float


class ProcessLocks:
    """Locks of one library, as one process sees them."""

    def __init__(
        self, database: Database, *, beat_seconds: float = BEAT_SECONDS, silent_seconds: float = SILENT_SECONDS
    ) -> None:
        """``database`` is open for writing."""
        self._database = database
        self._beat_seconds, self._silent_seconds = beat_seconds, silent_seconds
        self._observed: dict[str, _Observation] = {}
        self._lock = threading.Lock()

    @contextmanager
    def hold(
        self, name: str, *, wait: Callable[[float], None] | None = None, lost: Callable[[], None] = lambda: None
    ) -> Iterator[bool]:
        """Hold a lock during the block; the value is False, and nothing is held, if a living process holds it.

        ``wait`` waits for so many seconds and is called until it is clear whether the holder is alive, for
        `SILENT_SECONDS` at most; without it nothing is waited for. ``lost`` is called if the lock was taken over by
        another process, because this one was suspended for too long.
        """
        holder = self._take(name, wait)
        if holder is None:
            yield False
            return
        ended = threading.Event()
        heartbeat = threading.Thread(target=self._beat, args=(name, holder, ended, lost), name="heartbeat", daemon=True)
        heartbeat.start()
        try:
            yield True
        finally:
            ended.set()
            heartbeat.join()
            with self._database.write() as connection:
                connection.execute(delete(LeaseRow).where(LeaseRow.name == name, LeaseRow.holder == holder))

    def holders(self) -> dict[str, tuple[str, str]]:
        """Locks that are held: name -> (holder, since when). A holder may have died less than `SILENT_SECONDS` ago,
        or earlier if no process has wanted the lock since.
        """
        with self._database.read() as connection:
            return {row.name: (row.holder, row.since) for row in connection.execute(select(LeaseRow.__table__))}

    def _take(self, name: str, wait: Callable[[float], None] | None) -> str | None:
        first: tuple[str, int] | None = None
        while True:
            holder, there = self._try(name)
            if holder is not None:
                return holder
            if wait is None or (first is not None and there != first):
                return None
            first = first or there
            wait(self._beat_seconds / 4)

    def _try(self, name: str) -> tuple[str | None, tuple[str, int] | None]:
        """Our name as the holder, or None with the present holder and its counter."""
        me = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
        mine = {"holder": me, "since": stamp(time.time())}
        try:
            with self._database.write() as connection:
                row = connection.execute(
                    select(LeaseRow.holder, LeaseRow.beat).where(LeaseRow.name == name)
                ).one_or_none()
                if row is None:
                    connection.execute(insert(LeaseRow).values(name=name, beat=0, **mine))
                    return me, None
                there = (row.holder, row.beat)
                if not self._is_silent(name, *there):
                    return None, there
                taken = connection.execute(
                    update(LeaseRow)
                    .where(LeaseRow.name == name, LeaseRow.holder == row.holder, LeaseRow.beat == row.beat)
                    .values(beat=row.beat + 1, **mine)
                )
                return (me, None) if taken.rowcount == 1 else (None, there)
        except LibraryError as error:
            # On a server two may find no row at the same time; the second insert fails.
            if isinstance(error.__cause__, IntegrityError):
                return None, None
            raise

    def _is_silent(self, name: str, holder: str, beat: int) -> bool:
        now = time.monotonic()
        with self._lock:
            known = self._observed.get(name)
            # A process that looked long ago, perhaps because the database was busy, cannot conclude that the holder is
            # dead: the holder could not write meanwhile either.
            if (
                known is None
                or (known.holder, known.beat) != (holder, beat)
                or now - known.last > 2 * self._beat_seconds
            ):
                self._observed[name] = _Observation(holder, beat, now, now)
                return False
            known.last = now
            return now - known.first >= self._silent_seconds

    def _beat(self, name: str, holder: str, ended: threading.Event, lost: Callable[[], None]) -> None:
        mine = update(LeaseRow).where(LeaseRow.name == name, LeaseRow.holder == holder)
        while not ended.wait(self._beat_seconds):
            try:
                with self._database.write() as connection:
                    still = connection.execute(mine.values(beat=LeaseRow.beat + 1)).rowcount
            except LibraryError as error:
                # What keeps the holder from writing keeps those who want the lock from writing as well.
                log.warning("lock %s: %s", name, error)
                continue
            if not still:
                log.warning("lock %s was taken over by another process", name)
                lost()
                return


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
