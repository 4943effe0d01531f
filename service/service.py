"""Everything that the jobs work with, for one library."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from db.library.library import Library
from lichess.token import read_token
from service.clock import Halt, RealTimes, Times
from service.game_files import Depot
from service.job_log import Runs
from service.lichess_games import Archive
from service.live import LiveRounds
from service.locks import Leases
from service.rate_lock import Turns
from service.settings import ServiceOptions
from service.source_state import Feeds


class Service:
    """A library with what fills it. Close it, or use it as a context manager; the library is closed with it."""

    def __init__(
        self, settings: ServiceOptions, library: Library, *, times: Times | None = None, leases: Leases | None = None
    ) -> None:
        """``library`` is open for writing. ``times`` and ``leases`` have another pace in tests."""
        self.settings = settings
        self.mine = settings.service
        self.library = library
        self.clock = times or RealTimes()
        self.source_state = Feeds(library.database)
        self.locks = leases or Leases(library.database)
        self.job_log = Runs(library.database, self.clock)
        self.lichess_games = Archive(self.mine.url, read_token(self.mine), Turns(self.locks))
        self.game_files = Depot(self.mine.folder, library, self.source_state, jobs=settings.jobs)
        self.live: LiveRounds | None = None
        """Set while the service runs: rounds of broadcasts that go on are followed between two runs of the job."""
        self._halts: set[Halt] = set()
        self._lock = threading.Lock()
        self._is_stopping = False

    @property
    def backups(self) -> Path:
        """Where backups are kept."""
        return self.mine.backup_folder or self.mine.folder / "backups"

    def halt(self) -> Halt:
        """By which new work learns that it shall stop; to be given to `release`."""
        made = Halt(self.clock)
        with self._lock:
            self._halts.add(made)
            if self._is_stopping:
                made.stop()
        return made

    def release(self, halt: Halt) -> None:
        """The work has ended."""
        with self._lock:
            self._halts.discard(halt)

    def stop(self) -> None:
        """Tell all work to stop, and what is begun after this too."""
        with self._lock:
            self._is_stopping = True
            for halt in self._halts:
                halt.stop()

    def close(self) -> None:
        """Close the connections."""
        if self.live is not None:
            self.live.stop()
        self.lichess_games.close()
        self.library.close()

    def __enter__(self) -> Self:
        """Nothing to do: it is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()
