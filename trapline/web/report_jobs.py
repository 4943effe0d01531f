"""Jobs that read a player's games into the library and look through them, for his report and his practice.

The games are given, or fetched from his account. Each is stored before it is searched, and is searched
once: a job that is stopped, or that runs again, goes on where the one before stopped.
"""

import asyncio
import secrets
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol

from annotator.record import Recorded, record_losing_moves
from db.games.index_games import Progress, index_files
from db.games.players import players_of_file
from db.library.library import Library
from db.storage.collation import plain
from trapcore.errors import InputError, Message, TraplineError, UsageError
from trapcore.io.streams import ByteReader
from trapcore.io.work_folder import WorkFolder
from trapcore.parallel.pools import threads
from trapcore.parallel.priority import give_way
from trapline.web.problems import FAILED, STOPS, NotFound, nothing_read
from trapline.web.settings import WebOptions
from trapline.web.upload_jobs import State, UploadJobs, upload_limits

MAX_JOBS = 64
"""Jobs that are remembered; the oldest finished ones are forgotten first."""

MOST_FETCHED = 1000
"""Most games of an account in one go."""

_NAMED = 6  # players that a message names


class Site(StrEnum):
    """Where accounts are."""

    LICHESS = "lichess"
    CHESSCOM = "chess.com"


OnStop = Callable[[Callable[[], None]], None]
"""Takes what is to be called when the work is to stop, at once if it is to stop already."""


class FetchGames(Protocol):
    """Fetches the latest finished games of an account."""

    def __call__(self, site: Site, account: str, most: int, on_stop: OnStop) -> list[str]:
        """PGN of each game, ``most`` of them. Raises `TraplineError`, which says if there is no such account."""
        ...


class Phase(StrEnum):
    """What a job does."""

    FETCHING = "fetching the games"
    READING = "reading the games"
    LOOKING = "looking for losing moves"


@dataclass(frozen=True, slots=True)
class Account:
    """An account whose games are to be fetched."""

    site: Site
    name: str
    most: int
    """Games, 1 to `MOST_FETCHED`."""


class ReportJob:
    """One player's games on their way into his report."""

    def __init__(self, player: str) -> None:
        """``player`` as requested; empty for the player of most of the games."""
        self.id = secrets.token_urlsafe(16)
        """Identifier that cannot be guessed: to know it is the permission to see how far the job is."""
        self.player = player
        """In the end his name as the games write it."""
        self.state = State.RUNNING
        self.problem: Message | None = None
        """Why it failed or was stopped."""
        self.phase = Phase.READING
        self.games = 0
        """To be searched, once that is known."""
        self.looked = 0
        """Games that were searched, now or before."""
        self.losing_moves = 0
        self.skipped: Counter[str] = Counter()
        """Games that could not be read, by reason."""
        self._stopping = threading.Event()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.looked / self.games) if self.games else 0.0

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Call this when the job is to stop."""
        self._callbacks.append(callback)
        if self._stopping.is_set():
            callback()

    def cancel(self, reason: Message) -> None:
        """Stop the job; ``reason`` becomes its problem unless it has ended already."""
        if self.state is State.RUNNING and self.problem is None:
            self.problem = reason
        self._stopping.set()
        for callback in self._callbacks:
            callback()

    def check(self) -> None:
        """Raise `_Stopped` if the job is to stop."""
        if self._stopping.is_set():
            raise _Stopped

    def run(self, work: Callable[["ReportJob"], None]) -> None:
        """Call ``work`` and record how it ends. Raises only what is a bug."""
        state, problem = State.DONE, None
        try:
            work(self)
        except _Stopped:
            state, problem = State.STOPPED, self.problem
        except TraplineError as error:
            state, problem = State.FAILED, error.message
        except OSError as error:
            said = Message("the server cannot store the games: {reason}", {"reason": error.strerror})
            state, problem = State.FAILED, said
        except BaseException:
            if not self._stopping.is_set():
                self.problem = FAILED
                self.state = State.FAILED
                raise
            state, problem = State.STOPPED, self.problem
        self.problem = problem
        self.state = state


class ReportJobs:
    """All such jobs of one server; they share the places of the uploads that are annotated."""

    def __init__(
        self,
        settings: WebOptions,
        places: UploadJobs,
        open_library: Callable[[], Library],
        fetch_games: FetchGames | None,
    ) -> None:
        """``open_library`` opens the library for writing; without ``fetch_games`` no games are fetched."""
        self.fetch_games = fetch_games
        self._settings = settings
        self._places = places
        self._open_library = open_library
        self._jobs: dict[str, ReportJob] = {}
        self._pool = ThreadPoolExecutor(settings.web.annotations, thread_name_prefix="report", initializer=give_way)

    def start(self, player: str, games: BinaryIO | Account, address: str) -> ReportJob:
        """Start with an upload, which is closed in the end, or with an account. The client's ``address`` has acquired
        a slot of the uploads for it, which is released in the end."""
        job = ReportJob(player)
        self._jobs[job.id] = job
        ended = [each for each in self._jobs.values() if each.state is not State.RUNNING]
        for each in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
            del self._jobs[each.id]
        loop = asyncio.get_running_loop()
        minutes = self._settings.web.annotation_minutes
        reason = Message(
            "it took longer than {minutes:g} minutes; the games searched so far are kept, ask again to go on",
            {"minutes": minutes},
        )
        timeout = loop.call_later(minutes * 60, job.cancel, reason)

        def run() -> None:
            try:
                job.run(lambda job: self._work(job, games))
            finally:
                if not isinstance(games, Account):
                    games.close()
                with suppress(RuntimeError):  # the event loop has ended
                    loop.call_soon_threadsafe(finish)

        def finish() -> None:
            timeout.cancel()
            self._places.slots.release(address)

        self._pool.submit(run)
        return job

    def find(self, id: str) -> ReportJob:
        """Job of an identifier. Raises `NotFound`."""
        job = self._jobs.get(id)
        if job is None:
            raise NotFound("there is no such work on a report any more; begin again")
        return job

    def cancel_all(self) -> None:
        """Stop all jobs."""
        for job in self._jobs.values():
            job.cancel(STOPS)

    def close(self) -> None:
        """Stop all jobs and wait for their threads."""
        self.cancel_all()
        self._pool.shutdown()

    def _work(self, job: ReportJob, games: BinaryIO | Account) -> None:
        # The next one that is made sweeps what a killed server left of it.
        folder = WorkFolder.make(Path(tempfile.gettempdir()))
        try:
            path = folder.begin()
            if isinstance(games, Account):
                source = f"{games.site}: {games.name}"
                self._fetch(job, games, path)
            else:
                source = "upload"
                self._copy(job, games, path)
            with self._open_library() as library:
                self._read(job, library, path, source)
        finally:
            folder.remove()

    def _fetch(self, job: ReportJob, account: Account, path: Path) -> None:
        if self.fetch_games is None:
            raise UsageError("this server fetches no games; give them as PGN")
        job.phase = Phase.FETCHING
        found = self.fetch_games(account.site, account.name, account.most, job.on_stop)
        job.check()
        if not found:
            raise InputError("{name} has no finished game at {site}", name=account.name, site=str(account.site))
        path.write_text("".join(f"{game.strip()}\n\n\n" for game in found), encoding="utf-8")

    def _copy(self, job: ReportJob, upload: BinaryIO, path: Path) -> None:
        upload.seek(0)
        limits = upload_limits(self._settings)
        # Unpacked as it is copied, so that no more than is allowed ever lies here.
        with (
            ByteReader(upload, upload.read, "the upload", owned=False, limits=limits) as reader,
            path.open("wb") as file,
        ):
            for chunk in reader:
                job.check()
                file.write(chunk)

    def _read(self, job: ReportJob, library: Library, path: Path, source: str) -> None:
        job.phase = Phase.READING
        names, job.games, job.skipped = players_of_file(path)
        if not job.games:
            raise InputError(nothing_read(job.skipped))
        job.player = _player(names, job.player)

        def read(done: Progress) -> None:
            job.check()

        def looked(done: Recorded) -> None:
            job.looked, job.losing_moves = done.games + done.done_before, done.losing_moves
            job.check()

        with threads(self._settings.jobs, "report", background=True) as pool:
            done = index_files(library, [path], pool=pool, progress=read, source=source)
            if done.failures:
                raise done.failures[0]
            job.phase = Phase.LOOKING
            record_losing_moves(library, [path], self._settings, pool, progress=looked)


class _Stopped(Exception):
    """The job is to stop."""


def _player(names: Counter[str], wanted: str) -> str:
    """The name in the games that is meant. Raises `UsageError` if none is, or several."""
    listed = ", ".join(name for name, _ in names.most_common(_NAMED))
    if not names:
        raise UsageError("these games do not say who played them; write the names into the tags White and Black")
    if wanted:
        key = plain(wanted.strip())
        found = [name for name in names if plain(name) == key] or [name for name in names if key in plain(name)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UsageError(
                "nobody called {name!r} played in these games; there are {players}", name=wanted, players=listed
            )
        listed = ", ".join(found[:_NAMED])
    else:
        (first, most), *rest = names.most_common(2)
        if not rest or rest[0][1] < most:
            return first
    raise UsageError("write whose report it is to be: {players}", players=listed)
