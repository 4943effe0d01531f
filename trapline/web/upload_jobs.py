"""Jobs that annotate uploads: each has a growing file with the result, and clients that wait for it.

Input and output are files without a name, so that nothing is left behind however the program ends.
"""

import asyncio
import io
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import BinaryIO, Self

import chess.pgn

from annotator.annotation import AnnotatedBatch, AnnotatedGame
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.stream import annotate_stream
from db.proof.position_values import PositionValues
from db.traps.position_value import Values, deepest
from trapcore._native import give_way
from trapcore.errors import Message
from trapcore.io.streams import ByteReader
from trapline.web.jobs import Job, Jobs, State
from trapline.web.metrics import Metrics
from trapline.web.problems import STOPS, RequestError
from trapline.web.settings import WebOptions

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


class UploadJob(Job):
    """Annotation of one upload. Its thread changes the attributes first and notifies the event loop afterwards."""

    missing = Message("there is no such annotation; it may have been removed, results are kept for a while only")

    def __init__(self, size: int, address: str) -> None:
        """Job for an upload of ``size`` bytes from ``address``."""
        super().__init__(address)
        self.tally = Counts()
        self.size = size
        self.read = 0
        """Bytes of the upload read so far."""
        self.found: list[GameResult] = []
        """Games with events, the first `MAX_GAMES_SHOWN` of them."""
        self.began = datetime.now(UTC)
        self._result: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._lock = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def too_long(self, minutes: float) -> Message:
        """The problem of an annotation that ran for so many minutes."""
        return Message("it took longer than {minutes:g} minutes", {"minutes": minutes})

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

    def end(self, state: State, problem: Message | None) -> None:
        """Record the end, and wake the clients that wait."""
        super().end(state, problem)
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
    """Starts annotations among the jobs of a server. All of them share the threads that analyse."""

    def __init__(self, jobs: Jobs, settings: WebOptions, metrics: Metrics, values: PositionValues) -> None:
        self._jobs, self._metrics, self._values = jobs, metrics, values
        self._pool = ThreadPoolExecutor(settings.jobs, thread_name_prefix="analysis", initializer=give_way)

    def start(
        self,
        upload: BinaryIO,
        size: int,
        request: AnalysisRequest,
        load_traps: Callable[[], KnownTraps],
        address: str,
    ) -> UploadJob:
        """Start to annotate an upload for the client at ``address``. The job closes it. Raises as `Jobs.start` does.

        ``load_traps`` is called in the thread of the job.
        """
        job = UploadJob(size, address)
        return self._jobs.start(job, lambda: self._annotate(job, upload, request, load_traps))

    def close(self) -> None:
        """End the threads, after the jobs."""
        self._pool.shutdown()

    def _annotate(
        self, job: UploadJob, upload: BinaryIO, request: AnalysisRequest, load_traps: Callable[[], KnownTraps]
    ) -> None:
        limits = self._jobs.limits
        try:
            with upload:
                upload.seek(0)
                # Unpacked once for nothing, which takes a second at most: what is refused costs no annotation.
                with ByteReader(upload, upload.read, "the upload", owned=False, limits=limits) as reader:
                    for _ in reader if reader.compression else ():
                        job.check()
                upload.seek(0)
                traps = replace(load_traps(), stored=self._values.stated)
                read = job.count_reads(upload.read)
                with ByteReader(upload, read, "the upload", owned=False, limits=limits) as reader:
                    for batch in annotate_stream(
                        reader, reader.name, request, traps, job.tally, self._pool, stop=job.stop
                    ):
                        job.write(batch)
                        self._values.note(deepest(game.values for game in batch.games))
                        self._jobs.make_room(job)
                        job.check()
                job.show_single_game()
        finally:
            self._metrics.games.inc(job.tally.games)
            self._metrics.positions.inc(job.tally.positions)
