"""Uploads that are annotated: each is a thread at work, a file that grows, and whoever waits for it.

Input and output are files without a name, so that nothing stays behind however the program ends.
"""

import asyncio
import secrets
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import BinaryIO, Self

from annotator.annotation import AnnotatedBatch, AnnotatedGame
from annotator.commentary import sentence
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.stream import annotate_stream
from db.similarity.annotator_index import Screen
from db.traps.trap import Trap
from trapcore.errors import InputError, TraplineError
from trapcore.io.streams import ByteReader
from trapcore.parallel.budget import Cancellation
from web.metrics import Metrics
from web.problems import Conflict, NotFound, Refusal, TooMuch
from web.settings import WebOptions

KEPT = 32
"""So many results are kept at most, the latest ones."""

UNPACKED_TIMES = 16
"""An upload may be so many times as large when it is unpacked; games pack to a fourth or a seventh."""

Known = tuple[Sequence[Trap], Screen]

_PIECE_BYTES = 256 * 1024


MOST_SHOWN = 5000
"""Games of one upload that can be looked at one by one; the file has all of them."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event of a game in words."""

    ply: int
    """Of the move that it is about, from 1 at the game's first move."""
    event: str
    trap: str
    """Slug."""
    words: str


@dataclass(frozen=True, slots=True)
class GameFound:
    """A game of the result in which something was told."""

    number: int
    """From 1 within the upload."""
    at: int
    """Where it begins in the result, in bytes."""
    size: int
    encoding: str
    white: str
    black: str
    result: str
    date: str
    told: tuple[Told, ...]

    @classmethod
    def of(cls, game: AnnotatedGame, before: int) -> Self:
        """From a game of a batch that begins after so many bytes of the result."""
        white, black, result, date = (game.tags.get(name, "?") for name in ("White", "Black", "Result", "Date"))
        told = (
            Told(event.ply, event.event.value, event.trap.slug, sentence(event, line_follows=False)[0].rstrip(" :"))
            for event in game.events
        )
        at = before + game.at
        return cls(game.number, at, game.size, game.encoding, white, black, result, date, tuple(told))


class State(StrEnum):
    """How far an annotation has come."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """Somebody ended it, it took too long, or the server stops."""


class Annotation:
    """One upload. What the thread at work changes, it changes before it tells the loop."""

    def __init__(self, size: int, most: int) -> None:
        """``size`` is that of the upload in bytes, ``most`` that which it may have unpacked."""
        self.id = secrets.token_urlsafe(16)
        """Nobody can guess it, so it is also the right to see the result."""
        self.state = State.RUNNING
        self.problem: str | None = None
        """Why it failed or stopped."""
        self.tally = Counts()
        self.size = size
        self.read = 0
        """Bytes of the upload that were read."""
        self.written = 0
        """Bytes of the result so far."""
        self.found: list[GameFound] = []
        """The games in which something was told, the first `MOST_SHOWN` of them."""
        self.began = datetime.now(UTC)
        self.stop = Cancellation()
        self._most = most
        self._result: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this
        self._lock = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    def content(self) -> dict[str, object]:
        """The status for JSON."""
        tally = self.tally
        done = self.state is State.DONE
        return {
            "id": self.id,
            "state": self.state.value,
            "problem": self.problem,
            "percent": 100.0 if done else round(min(99.9, 100 * self.read / max(1, self.size)), 1),
            "games": tally.games,
            "positions": tally.positions,
            "findings": tally.findings,
            "annotated": tally.annotated,
            "events": dict(tally.events),
            "skipped": dict(tally.skipped),
            "bytes": self.written,
            "began": self.began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def end(self, why: str) -> None:
        """Stop it; the reason is told unless it has ended already."""
        if self.state is State.RUNNING and self.problem is None:
            self.problem = why
        self.stop.cancel()

    async def news(self, seconds: float) -> bool:
        """Wait until something has changed since the call, but so long at most; whether it has."""
        event = self._news
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        return event.is_set()

    async def follow(self) -> AsyncIterator[bytes]:
        """The result from its first byte to its end, also while it is made. Raises `Refusal` if that fails."""
        at = 0
        while True:
            ended = self.state is not State.RUNNING  # asked before what is there, so that nothing is missed
            event = self._news
            piece = await asyncio.to_thread(self._piece, at)
            if piece:
                at += len(piece)
                yield piece
            elif self.state is State.FAILED or self.state is State.STOPPED:
                raise Refusal(self.problem or "")
            elif ended:
                return
            else:
                await event.wait()

    def game(self, found: GameFound) -> bytes:
        """The text of an annotated game. Raises `Refusal` if the result has been removed."""
        with self._lock:
            if self._result.closed:
                raise Refusal("the result has been removed")
            self._result.seek(found.at)
            return self._result.read(found.size)

    def close(self) -> None:
        """Let the result go."""
        with self._lock:
            self._result.close()

    # In the thread ----------------------------------------------------------------------------------------------

    def run(self, pieces: Callable[["Annotation"], None]) -> None:
        """Do the work, which calls `write`, and note how it ends; never raises."""
        try:
            pieces(self)
            state, problem = State.DONE, None
        except TraplineError as error:
            state, problem = State.FAILED, str(error)
        except OSError as error:
            state, problem = State.FAILED, f"the server has no room for the result: {error.strerror}"
        except BaseException:
            if not self.stop.is_cancelled:
                self._finish(State.FAILED, "the server failed at this; what happened is in its log")
                raise
            state, problem = State.STOPPED, self.problem
        self._finish(state, problem)

    def counted(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        """Reading that notes how far it is."""

        def reading(size: int) -> bytes:
            data = read(size)
            self.read += len(data)
            return data

        return reading

    def checked(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same chunks; raises `InputError` once the upload unpacks to more than it may."""
        unpacked = 0
        for chunk in chunks:
            unpacked += len(chunk)
            if unpacked > self._most:
                raise InputError(
                    f"the games are more than {self._most // 1024 // 1024} MiB unpacked; send them in pieces"
                )
            yield chunk

    def write(self, batch: AnnotatedBatch) -> None:
        """Append to the result."""
        with self._lock:
            self._result.seek(self.written)
            self._result.write(batch.text)
        for game in batch.games[: MOST_SHOWN - len(self.found)]:
            self.found.append(GameFound.of(game, self.written))
        self.written += len(batch.text)
        self._tell()

    def _finish(self, state: State, problem: str | None) -> None:
        self.problem = problem
        self.state = state
        self._tell()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody waits
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _piece(self, at: int) -> bytes:
        with self._lock:
            if self._result.closed:
                raise Refusal("the result has been removed")
            self._result.seek(at)
            return self._result.read(min(_PIECE_BYTES, self.written - at))


class Annotations:
    """All uploads of one server."""

    def __init__(self, settings: WebOptions, metrics: Metrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._all: dict[str, Annotation] = {}
        self._places = settings.web.annotations
        self._at_work = ThreadPoolExecutor(self._places, thread_name_prefix="annotation")
        self._judges = ThreadPoolExecutor(settings.jobs, thread_name_prefix="judge")

    def take_place(self) -> None:
        """Take one of the places, before anything is uploaded. Raises `TooMuch` if there is none."""
        if not self._places:
            raise TooMuch(
                f"{self._settings.web.annotations} uploads are being annotated, which is as many as are at once; try "
                "again later",
                {"Retry-After": "10"},
            )
        self._places -= 1
        self._metrics.annotations.inc()

    def leave_place(self) -> None:
        """Give the place back."""
        self._places += 1
        self._metrics.annotations.dec()

    def begin(self, upload: BinaryIO, size: int, request: AnalysisRequest, known: Callable[[], Known]) -> Annotation:
        """Begin to annotate an upload for which a place was taken; both are given back when it ends.

        ``known`` gives the traps and the screen; it is called in the thread.
        """
        web = self._settings.web
        annotation = Annotation(size, web.upload_megabytes * UNPACKED_TIMES * 1024 * 1024)
        self._all[annotation.id] = annotation
        self._drop_oldest()
        loop = asyncio.get_running_loop()
        seconds = web.annotation_minutes * 60
        late = loop.call_later(seconds, annotation.end, f"it took longer than {web.annotation_minutes:g} minutes")

        def work() -> None:
            try:
                with upload:
                    annotation.run(lambda annotation: self._annotate(annotation, upload, request, known))
            finally:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(ended)

        def ended() -> None:
            late.cancel()
            self.leave_place()
            self._metrics.games.inc(annotation.tally.games)
            self._metrics.positions.inc(annotation.tally.positions)
            loop.call_later(seconds, self._drop, annotation)

        self._at_work.submit(work)
        return annotation

    def find(self, id: str) -> Annotation:
        """The annotation of that id. Raises `NotFound`."""
        found = self._all.get(id)
        if found is None:
            raise NotFound("there is no such annotation; it may have been removed, results are kept for a while only")
        return found

    def result(self, id: str) -> Annotation:
        """One that is done. Raises `NotFound`, and `Conflict` for one that is not."""
        annotation = self.find(id)
        if annotation.state is State.RUNNING:
            raise Conflict("it is not finished; its status tells how far it is", {"Retry-After": "1"})
        if annotation.state is not State.DONE:
            raise Conflict(f"there is no result: {annotation.problem}")
        return annotation

    def remove(self, id: str) -> None:
        """End it if it runs, and let its result go. Raises `NotFound`."""
        annotation = self.find(id)
        annotation.end("it was removed")
        self._drop(annotation)

    def end_all(self) -> None:
        """Stop whatever runs; whoever waits is told so."""
        for annotation in self._all.values():
            annotation.end("the server stops")

    def close(self) -> None:
        """Stop whatever runs, wait for that, and let everything go."""
        self.end_all()
        self._at_work.shutdown()
        self._judges.shutdown()
        for annotation in list(self._all.values()):
            self._drop(annotation)

    def _annotate(
        self, annotation: Annotation, upload: BinaryIO, request: AnalysisRequest, known: Callable[[], Known]
    ) -> None:
        upload.seek(0)
        traps, screen = known()
        with ByteReader(upload, annotation.counted(upload.read), "the upload", owned=False) as reader:
            pieces = annotate_stream(
                annotation.checked(reader),
                reader.name,
                request,
                KnownTraps(traps, screen),
                annotation.tally,
                self._judges,
                stop=annotation.stop,
            )
            for batch in pieces:
                annotation.write(batch)
                if annotation.stop.is_cancelled:
                    raise RuntimeError("stopped")

    def _drop_oldest(self) -> None:
        ended = [annotation for annotation in self._all.values() if annotation.state is not State.RUNNING]
        for annotation in ended[: max(0, len(self._all) - KEPT)]:
            self._drop(annotation)

    def _drop(self, annotation: Annotation) -> None:
        if self._all.pop(annotation.id, None) is not None:
            annotation.close()
