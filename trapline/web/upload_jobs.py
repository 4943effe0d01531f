"""Jobs that annotate uploads: each has a growing file with the result, and clients that wait for it.

Input and output are files without a name, so that nothing is left behind however the program ends.
"""

import asyncio
import io
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, Self

import chess.pgn

from annotator.annotation import AnnotatedBatch, AnnotatedGame
from annotator.counts import Counts
from annotator.request import AnalysisRequest
from annotator.stream import annotate_stream
from db.storage.column_types import time_text
from db.traps.position_value import Values, deepest
from db.traps.terms import Event
from trapcore.errors import Message
from trapcore.io.streams import ByteReader
from trapline.web.jobs import Job, State
from trapline.web.problems import STOPS, RequestError
from trapline.web.profile import ShownGames
from trapline.web.service import Service

_SINGLE_GAME_BYTES = 1 << 20  # largest result that is examined for a single game

POLL_SECONDS = 0.1
"""Between two looks of a client that waits for more of the result."""

_CHUNK_BYTES = 256 * 1024

SHOWN_TAGS = ("White", "Black", "Result", "Date")
"""Tags that the list of the games shows."""

MAX_GAMES_SHOWN = 5000
"""Games of one upload that have a page of their own; the file has all of them."""


@dataclass(frozen=True, slots=True)
class EventText:
    """Text of one event of a game."""

    ply: int
    """Half-move of the event, 1 for the game's first move."""
    event: Event
    text: str


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game of the result that has a page of its own."""

    number: int
    """Number of the game in the upload, from 1."""
    offset: int
    """Byte offset in the result."""
    size: int
    encoding: str
    tags: Mapping[str, str]
    events: tuple[EventText, ...] = ()
    values: Values = field(default_factory=dict)
    """Of the positions that the events are about."""

    @classmethod
    def of(cls, game: AnnotatedGame, batch_offset: int) -> Self:
        """Game of a batch that begins at this byte offset of the result."""
        events = tuple(EventText(told.event.ply, told.event.event, told.text) for told in game.told)
        tags = {name: game.tags.get(name, "?") for name in SHOWN_TAGS}
        return cls(game.number, batch_offset + game.at, game.size, game.encoding, tags, events, game.values)


class UploadJob(Job):
    """Annotation of one upload. Its thread changes the attributes, and the event loop reads them."""

    missing = Message("there is no such annotation; it may have been removed, results are kept for a while only")
    too_long = Message("it took longer than {minutes:g} minutes")

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
            "began": time_text(self.began),
        }

    async def stream(self) -> AsyncIterator[bytes]:
        """Chunks of the whole result, also while it is written. Raises `RequestError` if the job fails."""
        offset = 0
        while True:
            ended = self.state is not State.RUNNING  # read before the file, so that no chunk is missed
            if self.state is State.FAILED or self.state is State.STOPPED:
                raise RequestError(self.problem or STOPS)
            chunk = await asyncio.to_thread(self._part, offset, _CHUNK_BYTES)
            if chunk:
                offset += len(chunk)
                yield chunk
            elif ended:
                return
            else:
                await asyncio.sleep(POLL_SECONDS)

    def pgn(self, game: GameResult) -> bytes:
        """PGN of an annotated game. Raises `RequestError` if the result has been removed."""
        return self._part(game.offset, game.size)

    def close(self) -> None:
        """Delete the result."""
        with self._lock:
            self._result.close()

    # Called in the thread of the job ----------------------------------------------------------------------------

    def write(self, batch: AnnotatedBatch) -> None:
        """Append a batch to the result."""
        with self._lock:
            self._result.seek(self.written)
            self._result.write(batch.text)
        for game in batch.games[: MAX_GAMES_SHOWN - len(self.found)]:
            self.found.append(GameResult.of(game, self.written))
        self.written += len(batch.text)

    def show_single_game(self) -> None:
        """Give an upload of one game its page, also if nothing is reported of it; at the end of the annotation."""
        if self.tally.games != 1 or self.tally.skipped or self.found or self.written > _SINGLE_GAME_BYTES:
            return
        with self._lock:
            self._result.seek(0)
            data = self._result.read(self.written)
        try:
            text, encoding = data.decode("utf-8-sig"), "utf-8-sig"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
        headers = chess.pgn.read_headers(io.StringIO(text))
        if headers is not None:
            tags = {name: headers.get(name, "?") for name in SHOWN_TAGS}
            self.found.append(GameResult(1, 0, self.written, encoding, tags))

    def _part(self, offset: int, size: int) -> bytes:
        with self._lock:
            if self._result.closed:
                raise RequestError("the result has been removed")
            self._result.seek(offset)
            return self._result.read(min(size, self.written - offset))


def annotate_upload(
    service: Service, upload: BinaryIO, size: int, request: AnalysisRequest, only: ShownGames, address: str
) -> UploadJob:
    """Start to annotate an upload of ``size`` bytes for the client at ``address``. The job closes it.

    Comments may name the earlier games of ``only`` this account, of all players if it is None. Raises as `Jobs.start`
    does.
    """
    job = UploadJob(size, address)
    return service.jobs.start(job, lambda: _annotate(service, job, upload, request, only))


def _annotate(service: Service, job: UploadJob, upload: BinaryIO, request: AnalysisRequest, only: ShownGames) -> None:
    limits, values = service.jobs.limits, service.values

    def read(size: int) -> bytes:
        data = upload.read(size)
        job.read += len(data)
        return data

    try:
        with upload:
            upload.seek(0)
            # Unpacked once for nothing, which takes a second at most: what is refused costs no annotation.
            with ByteReader(upload, upload.read, "the upload", owned=False, limits=limits) as reader:
                for _ in reader if reader.compression else ():
                    job.check()
            upload.seek(0)
            traps = replace(service.known_traps(only), stored=values.stated)
            with ByteReader(upload, read, "the upload", owned=False, limits=limits) as reader:
                for batch in annotate_stream(
                    reader, reader.name, request, traps, job.tally, service.analysis_threads, stop=job.stop
                ):
                    job.write(batch)
                    values.note(deepest(game.values for game in batch.games))
                    service.jobs.make_room(job)
                    job.check()
            job.show_single_game()
    finally:
        service.metrics.games.inc(job.tally.games)
        service.metrics.positions.inc(job.tally.positions)
