"""Jobs that annotate uploads: each has a thread, a growing file with the result, and clients that wait for it.

Input and output are files without a name, so that nothing is left behind however the program ends.
"""

import asyncio
import io
import secrets
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import BinaryIO, Self

import chess.pgn

from annotator.annotation import AnnotatedBatch, AnnotatedGame
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.stream import annotate_stream
from db.proof.position_values import PositionValues
from db.traps.position_value import Values, deepest
from trapcore.errors import InputError, Message, TraplineError
from trapcore.io.decompress import ReadLimits
from trapcore.io.streams import ByteReader
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.priority import give_way
from trapline.web.metrics import Metrics
from trapline.web.problems import FAILED, STOPS, Conflict, NotFound, RequestError
from trapline.web.server.upload_slots import UploadSlots
from trapline.web.settings import WebOptions

MAX_JOBS = 32
"""Jobs whose results are stored; the oldest finished ones are removed first."""

UPLOAD_WINDOW = 1 << 23
"""Largest window of Zstandard in an upload in bytes, which RFC 9659 says everybody has to take; it lies in memory."""

STORED_OF_ADDRESS = 2
"""Results that are kept for one address, as a multiple of what an upload may unpack to,"""
STORED = 8
"""and those of all addresses."""

_SINGLE_GAME_BYTES = 1 << 20  # largest result that is examined for a single game

_CHUNK_BYTES = 256 * 1024


MAX_GAMES_SHOWN = 5000
"""Games of one upload that have a page of their own; the file has all of them."""


@dataclass(frozen=True, slots=True)
class EventText:
    """Text of one event of a game."""

    ply: int
    """Half-move of the event, 1 for the game's first move."""
    event: str
    trap: str | None
    """Slug of the trap; None where none is like it."""
    text: str


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game of the result that has events."""

    number: int
    """Number of the game in the upload, from 1."""
    offset: int
    """Byte offset in the result."""
    size: int
    encoding: str
    white: str
    black: str
    result: str
    date: str
    events: tuple[EventText, ...]
    values: Values
    """Of the positions that the events are about."""

    @classmethod
    def of(cls, game: AnnotatedGame, batch_offset: int) -> Self:
        """Game of a batch that begins at this byte offset of the result."""
        white, black, result, date = (game.tags.get(name, "?") for name in ("White", "Black", "Result", "Date"))
        events = tuple(
            EventText(
                ply=told.event.ply,
                event=told.event.event.value,
                trap=told.event.slug,
                text=told.text,
            )
            for told in game.told
        )
        offset = batch_offset + game.at
        return cls(game.number, offset, game.size, game.encoding, white, black, result, date, events, game.values)


class State(StrEnum):
    """State of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """It was cancelled, timed out, or the server stopped."""


class UploadJob:
    """Annotation of one upload. Its thread changes the attributes first and notifies the event loop afterwards."""

    def __init__(self, size: int, address: str) -> None:
        """Job for an upload of ``size`` bytes from ``address``."""
        self.id = secrets.token_urlsafe(16)
        """Identifier that cannot be guessed: to know it is the permission to see the result."""
        self.state = State.RUNNING
        self.problem: Message | None = None
        """Reason why it failed or was stopped."""
        self.tally = Counts()
        self.size = size
        self.read = 0
        """Bytes of the upload read so far."""
        self.written = 0
        """Bytes of the result written so far."""
        self.found: list[GameResult] = []
        """Games with events, the first `MAX_GAMES_SHOWN` of them."""
        self.began = datetime.now(UTC)
        self.stop = Cancellation()
        self.address = address
        self._result: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._lock = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def to_dict(self) -> dict[str, object]:
        """Status of the job, for JSON."""
        tally = self.tally
        done = self.state is State.DONE
        return {
            "id": self.id,
            "state": self.state.value,
            "problem": None if self.problem is None else str(self.problem),
            "percent": 100.0 if done else round(min(99.9, 100 * self.read / max(1, self.size)), 1),
            "games": tally.games,
            "positions": tally.positions,
            "findings": tally.findings,
            "annotated": tally.annotated,
            "events": dict(tally.events),
            "losing_moves": dict(tally.losing_moves),
            "skipped": dict(tally.skipped),
            "notes": dict(tally.notes),
            "left_out": [*tally.unread, *tally.noted],
            "bytes": self.written,
            "began": self.began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def cancel(self, reason: Message) -> None:
        """Stop the job; ``reason`` becomes its problem unless it has ended already."""
        if self.state is State.RUNNING and self.problem is None:
            self.problem = reason
        self.stop.cancel()

    async def wait_for_change(self, seconds: float) -> bool:
        """Wait until the job changes, for at most ``seconds``. Returns whether it has changed since the call."""
        event = self._changed
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        return event.is_set()

    async def stream(self) -> AsyncIterator[bytes]:
        """Chunks of the whole result, also while it is written. Raises `RequestError` if the job fails."""
        offset = 0
        while True:
            ended = self.state is not State.RUNNING  # read before the file, so that no chunk is missed
            if self.state is State.FAILED or self.state is State.STOPPED:
                raise RequestError(self.problem or STOPS)
            event = self._changed
            chunk = await asyncio.to_thread(self._chunk, offset)
            if chunk:
                offset += len(chunk)
                yield chunk
            elif ended:
                return
            else:
                await event.wait()

    def pgn(self, game: GameResult) -> bytes:
        """PGN of an annotated game. Raises `RequestError` if the result has been removed."""
        with self._lock:
            if self._result.closed:
                raise RequestError("the result has been removed")
            self._result.seek(game.offset)
            return self._result.read(game.size)

    def close(self) -> None:
        """Delete the result."""
        with self._lock:
            self._result.close()

    # Called in the thread of the job ----------------------------------------------------------------------------

    def run(self, annotate: Callable[["UploadJob"], None]) -> None:
        """Call ``annotate``, which calls `write`, and record how it ends. Raises only what is a bug."""
        try:
            annotate(self)
            state, problem = State.DONE, None
        except TraplineError as error:
            state, problem = State.FAILED, error.message
        except OSError as error:
            said = Message("the server cannot store the result: {reason}", {"reason": error.strerror})
            state, problem = State.FAILED, said
        except BaseException:
            if not self.stop.is_cancelled:
                self._finish(State.FAILED, FAILED)
                raise
            state, problem = State.STOPPED, self.problem
        self._finish(state, problem)

    def count_reads(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        """The function ``read``, with the bytes counted in the attribute `read`."""

        def read_counted(size: int) -> bytes:
            data = read(size)
            self.read += len(data)
            return data

        return read_counted

    def write(self, batch: AnnotatedBatch) -> None:
        """Append a batch to the result."""
        with self._lock:
            self._result.seek(self.written)
            self._result.write(batch.text)
        for game in batch.games[: MAX_GAMES_SHOWN - len(self.found)]:
            self.found.append(GameResult.of(game, self.written))
        self.written += len(batch.text)
        self._notify()

    def show_single_game(self) -> None:
        """Give an upload of one game its page, also if nothing is reported of it; at the end of the annotation."""
        if self.tally.games != 1 or self.tally.skipped or self.found or self.written > _SINGLE_GAME_BYTES:
            return
        (text, encoding) = self._text()
        game = chess.pgn.read_headers(io.StringIO(text))
        if game is not None:
            white, black, result, date = (game.get(name, "?") for name in ("White", "Black", "Result", "Date"))
            self.found.append(GameResult(1, 0, self.written, encoding, white, black, result, date, (), {}))

    def _text(self) -> tuple[str, str]:
        """The whole result and its encoding."""
        with self._lock:
            self._result.seek(0)
            data = self._result.read(self.written)
        try:
            return data.decode("utf-8-sig"), "utf-8-sig"
        except UnicodeDecodeError:
            return data.decode("latin-1"), "latin-1"

    def _finish(self, state: State, problem: Message | None) -> None:
        self.problem = problem
        self.state = state
        if state is not State.DONE:
            self.close()  # nobody can fetch it
        self._notify()

    def _notify(self) -> None:
        with suppress(RuntimeError):  # the event loop has ended, and with it the waiting request
            self._loop.call_soon_threadsafe(self._wake_waiting)

    def _wake_waiting(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _chunk(self, offset: int) -> bytes:
        with self._lock:
            if self._result.closed:
                raise RequestError("the result has been removed")
            self._result.seek(offset)
            return self._result.read(min(_CHUNK_BYTES, self.written - offset))


class UploadJobs:
    """All jobs of one server."""

    def __init__(self, settings: WebOptions, metrics: Metrics, values: PositionValues) -> None:
        self._settings, self._values = settings, values
        self._metrics = metrics
        self._jobs: dict[str, UploadJob] = {}
        self.slots = UploadSlots(settings.web.annotations, metrics)
        self._job_pool = ThreadPoolExecutor(
            settings.web.annotations, thread_name_prefix="annotation", initializer=give_way
        )
        self._analysis_pool = ThreadPoolExecutor(settings.jobs, thread_name_prefix="analysis", initializer=give_way)

    def start(
        self,
        upload: BinaryIO,
        size: int,
        request: AnalysisRequest,
        load_traps: Callable[[], KnownTraps],
        address: str,
    ) -> UploadJob:
        """Start to annotate an upload for which a slot was reserved; file and slot are released at the end.

        ``load_traps`` is called in the thread of the job. ``address`` is that of the client.
        """
        web = self._settings.web
        job = UploadJob(size, address)
        self._jobs[job.id] = job
        self._remove_oldest()
        loop = asyncio.get_running_loop()
        seconds = web.annotation_minutes * 60
        reason = Message("it took longer than {minutes:g} minutes", {"minutes": web.annotation_minutes})
        timeout = loop.call_later(seconds, job.cancel, reason)

        def run() -> None:
            try:
                with upload:
                    job.run(lambda job: self._annotate(job, upload, request, load_traps))
            finally:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(finish)

        def finish() -> None:
            timeout.cancel()
            self.slots.release(address)
            self._metrics.games.inc(job.tally.games)
            self._metrics.positions.inc(job.tally.positions)
            loop.call_later(seconds, self._remove, job)

        self._job_pool.submit(run)
        return job

    def find(self, id: str) -> UploadJob:
        """Job of an identifier. Raises `NotFound`."""
        job = self._jobs.get(id)
        if job is None:
            raise NotFound("there is no such annotation; it may have been removed, results are kept for a while only")
        return job

    def finished(self, id: str) -> UploadJob:
        """Finished job of an identifier. Raises `NotFound`, and `Conflict` if it is not done."""
        job = self.find(id)
        if job.state is State.RUNNING:
            raise Conflict("it is not finished; its status tells how far it is", {"Retry-After": "1"})
        if job.state is not State.DONE:
            raise Conflict("there is no result: {reason}", reason=job.problem)
        return job

    def remove(self, id: str) -> None:
        """Cancel the job of an identifier if it is running, and delete its result. Raises `NotFound`."""
        job = self.find(id)
        job.cancel(Message("it was removed"))
        self._remove(job)

    def cancel_all(self) -> None:
        """Cancel all running jobs; clients that wait get an error."""
        for job in self._jobs.values():
            job.cancel(STOPS)

    def close(self) -> None:
        """Cancel all jobs, wait for their threads, and delete the results."""
        self.cancel_all()
        self._job_pool.shutdown()
        self._analysis_pool.shutdown()
        for job in list(self._jobs.values()):
            self._remove(job)

    def _annotate(
        self, job: UploadJob, upload: BinaryIO, request: AnalysisRequest, load_traps: Callable[[], KnownTraps]
    ) -> None:
        limits = upload_limits(self._settings)
        upload.seek(0)
        # Unpacked once for nothing, which takes a second at most: what is refused costs no annotation.
        with ByteReader(upload, upload.read, "the upload", owned=False, limits=limits) as reader:
            for _ in reader if reader.compression else ():
                if job.stop.is_cancelled:
                    raise RuntimeError("stopped")
        upload.seek(0)
        traps = replace(load_traps(), stored=self._values.stated)
        with ByteReader(upload, job.count_reads(upload.read), "the upload", owned=False, limits=limits) as reader:
            batches = annotate_stream(
                reader,
                reader.name,
                request,
                traps,
                job.tally,
                self._analysis_pool,
                stop=job.stop,
            )
            for batch in batches:
                job.write(batch)
                self._values.note(deepest(game.values for game in batch.games))
                self._make_room(job)
                if job.stop.is_cancelled:
                    raise RuntimeError("stopped")
            job.show_single_game()

    def _make_room(self, job: UploadJob) -> None:
        """Remove the oldest results where too much is kept, those of the job's address first. Raises `InputError` if
        what is being written is too much already."""
        most = self._settings.web.unpacked_megabytes << 20
        for limit, address in ((STORED_OF_ADDRESS * most, job.address), (STORED * most, None)):
            kept = [each for each in list(self._jobs.values()) if address is None or each.address == address]
            ended = iter([each for each in kept if each.state is not State.RUNNING])
            left = sum(each.written for each in kept)
            while left > limit:
                oldest = next(ended, None)
                if oldest is None:
                    raise InputError("too much is being annotated already; send less at a time")
                left -= oldest.written
                self._remove(oldest)

    def _remove_oldest(self) -> None:
        ended = [job for job in self._jobs.values() if job.state is not State.RUNNING]
        for job in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
            self._remove(job)

    def _remove(self, job: UploadJob) -> None:
        if self._jobs.pop(job.id, None) is not None:
            job.close()


def upload_limits(settings: WebOptions) -> ReadLimits:
    """What a packed upload may cost."""
    return ReadLimits(settings.web.unpacked_megabytes << 20, UPLOAD_WINDOW)
