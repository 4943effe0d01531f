"""The service of one library: everything that the jobs work with."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from coach.study_files import CHAPTERS
from db.library.library import Library
from lichess.studies import StudyWriter
from lichess.token import read_token
from trapline.service.games.chesscom_games import ChesscomGames
from trapline.service.games.game_files import GameFiles
from trapline.service.games.lichess_games import LichessGames
from trapline.service.games.live_rounds import LiveRounds
from trapline.service.settings import ServiceOptions
from trapline.service.state.clock import Clock, StopFlag
from trapline.service.state.job_log import JobLog
from trapline.service.state.locks import ProcessLocks, RateLock
from trapline.service.state.source_state import SourceState


class Service:
    """A library with what fills it. To be closed; that closes the library too."""

    def __init__(
        self,
        settings: ServiceOptions,
        library: Library,
        *,
        clock: Clock | None = None,
        locks: ProcessLocks | None = None,
    ) -> None:
        """``library`` is open for writing. ``clock`` and ``locks`` are replaced in tests by faster ones."""
        self.settings = settings
        self.mine = settings.service
        self.library = library
        self.clock = clock or Clock()
        self.source_state = SourceState(library.database)
        self.locks = locks or ProcessLocks(library.database)
        self.job_log = JobLog(library.database, self.clock)
        self._rate_lock = RateLock(self.locks)
        self.lichess_games = LichessGames(self.mine.url, read_token(self.mine), self._rate_lock)
        self.chesscom_games = ChesscomGames(self.mine.chesscom_url, RateLock(self.locks, "chesscom"))
        self.game_files = GameFiles(self.mine.folder, library, self.source_state, jobs=settings.jobs)
        self.live: LiveRounds | None = None
        """The running rounds of broadcasts, followed between two runs of the job; set while the service runs."""
        self._stop_flags: set[StopFlag] = set()
        self._lock = threading.Lock()
        self._is_stopping = False

    @property
    def backups(self) -> Path:
        """Folder of the backups."""
        return self.mine.backup_folder or self.mine.folder / "backups"

    def study_writer(self, studies: Sequence[str], stop_flag: StopFlag) -> StudyWriter:
        """Writes chapters into these studies; to be closed."""
        return StudyWriter(
            self.mine.url,
            read_token(self.mine),
            studies,
            self.mine.folder / "chapters",
            CHAPTERS,
            lambda: self._rate_lock.hold(stop_flag),
        )

    @contextmanager
    def stop_flag(self) -> Iterator[StopFlag]:
        """Stop flag of the work in the block, which `stop` sets."""
        flag = StopFlag(self.clock)
        with self._lock:
            self._stop_flags.add(flag)
            if self._is_stopping:
                flag.set()
        try:
            yield flag
        finally:
            with self._lock:
                self._stop_flags.discard(flag)

    def stop(self) -> None:
        """Stop all work, also work that begins after this."""
        with self._lock:
            self._is_stopping = True
            for stop_flag in self._stop_flags:
                stop_flag.set()

    def close(self) -> None:
        """Close the connections and the library."""
        if self.live is not None:
            self.live.stop()
        self.lichess_games.close()
        self.chesscom_games.close()
        self.library.close()
