"""Jobs that read a player's games into the library and look through them, for his report and his practice.

The games are given, or fetched from his account. Each is stored before it is searched, and is searched
once: a job that is stopped, or that runs again, goes on where the one before stopped.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from annotator.record import Recorded, record_losing_moves
from db.games.index_games import index_files
from db.games.players import players_of_file
from db.library.library import Library
from db.storage.collation import plain
from trapcore.errors import InputError, Message, UsageError
from trapcore.io.streams import ByteReader
from trapcore.io.work_folder import WorkFolder
from trapcore.parallel.pools import threads
from trapline.web.jobs import Job
from trapline.web.problems import nothing_read
from trapline.web.service import Service

MOST_FETCHED = 1000
"""Most games of an account in one go."""


class Site(StrEnum):
    """Where accounts are."""

    LICHESS = "lichess"
    CHESSCOM = "chess.com"


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


class ReportJob(Job):
    """One player's games on their way into his report."""

    missing = Message("there is no such work on a report any more; begin again")
    too_long = Message(
        "it took longer than {minutes:g} minutes; the games searched so far are kept, ask again to go on"
    )

    def __init__(self, player: str, address: str) -> None:
        """``player`` as requested; empty if the games are to show who it is. ``address`` is the client's."""
        super().__init__(address)
        self.wanted = player
        self.player = ""
        """His name as the games write it; empty as long as they do not show which player is meant."""
        self.names: Counter[str] = Counter()
        """The players of the games, and in how many each is; empty until the games are read."""
        self.phase = Phase.READING
        self.games = 0
        """To be searched, once that is known."""
        self.looked = 0
        """Games that were searched, now or before."""
        self.losing_moves = 0
        self.skipped: Counter[str] = Counter()
        """Games that could not be read, by reason."""
        self._callbacks: list[Callable[[], None]] = []

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.looked / self.games) if self.games else 0.0

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Call this when the job is to stop."""
        self._callbacks.append(callback)
        if self.stop.is_cancelled:
            callback()

    def cancel(self, reason: Message) -> None:
        """Stop the job, and call what `on_stop` was given."""
        super().cancel(reason)
        for callback in self._callbacks:
            callback()


def make_report(service: Service, player: str, games: BinaryIO | Account, address: str) -> ReportJob:
    """Start with an upload, which the job closes, or with an account. Raises as `Jobs.start` does."""
    job = ReportJob(player, address)
    return service.jobs.start(job, lambda: _work(service, job, games))


def _work(service: Service, job: ReportJob, games: BinaryIO | Account) -> None:
    # The next one that is made sweeps what a killed server left of it.
    folder = WorkFolder.make(Path(tempfile.gettempdir()))
    try:
        path = folder.begin()
        if isinstance(games, Account):
            source = f"{games.site}: {games.name}"
            _fetch(service, job, games, path)
        else:
            source = "upload"
            _copy(service, job, games, path)
        with service.open_for_writing() as library:
            _read(service, job, library, path, source)
    finally:
        folder.remove()


def _fetch(service: Service, job: ReportJob, account: Account, path: Path) -> None:
    if service.fetch_games is None:
        raise UsageError("this server fetches no games; give them as PGN")
    job.phase = Phase.FETCHING
    found = service.fetch_games(account.site, account.name, account.most, job.on_stop)
    job.check()
    if not found:
        raise InputError("{name} has no finished game at {site}", name=account.name, site=str(account.site))
    path.write_text("".join(f"{game.strip()}\n\n\n" for game in found), encoding="utf-8")


def _copy(service: Service, job: ReportJob, upload: BinaryIO, path: Path) -> None:
    upload.seek(0)
    # Unpacked as it is copied, so that no more than is allowed ever lies here.
    with (
        upload,
        ByteReader(upload, upload.read, "the upload", owned=False, limits=service.jobs.limits) as reader,
        path.open("wb") as file,
    ):
        for chunk in reader:
            job.check()
            file.write(chunk)


def _read(service: Service, job: ReportJob, library: Library, path: Path, source: str) -> None:
    job.phase = Phase.READING
    names, job.games, job.skipped = players_of_file(path)
    if not job.games:
        raise InputError(nothing_read(job.skipped))
    if not names:
        raise UsageError("these games do not say who played them; write the names into the tags White and Black")
    job.player, job.names = _player(names, job.games, job.wanted), names

    def looked(done: Recorded) -> None:
        job.looked, job.losing_moves = done.games + done.done_before, done.losing_moves
        job.check()

    with threads(service.settings.jobs, "report", background=True) as pool:
        done = index_files(library, [path], pool=pool, progress=lambda _: job.check(), source=source)
        if done.failures:
            raise done.failures[0]
        job.phase = Phase.LOOKING
        record_losing_moves(library, [path], service.settings, pool, progress=looked)


def _player(names: Counter[str], games: int, wanted: str) -> str:
    """The name in the games that is meant; empty if that is not clear, so that the visitor chooses.

    Without a ``wanted`` name it is the one player who is in all of several games.
    """
    if wanted:
        key = plain(wanted)
        found = [name for name in names if plain(name) == key] or [name for name in names if key in plain(name)]
    else:
        found = [name for name, count in names.items() if count == games > 1]
    return found[0] if len(found) == 1 else ""
