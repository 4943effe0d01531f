"""What was fetched, as PGN files in the service's folder, and what of them is in the library.

Everything that comes is a file first, which appears whole under its name; then it is read into the library. So nothing
is lost if the process is killed in between, and the library can be filled again from the files.
"""

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from db.games.index_games import Progress, index_files
from db.library.library import Library
from service.clock import Halt
from service.job_log import Outcome
from service.source_state import Feeds
from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing

SETTLED_SECONDS = 60.0
"""A file of somebody else's that was written to so lately may not be complete."""

_LEFT_OVER = re.compile(r"\..+\.\d+\.\d+\.new")
"""What `trapcore.io.atomic_write` leaves of a process that was killed."""


class Depot:
    """The folder and the library that it fills."""

    def __init__(self, folder: Path, library: Library, feeds: Feeds, *, jobs: int) -> None:
        """``jobs`` threads read games, 1 or more."""
        self.folder = folder
        self.library = library
        self._feeds = feeds
        self._jobs = jobs

    def put(self, kind: str, name: str, games: Iterable[str]) -> Path:
        """Write games into the file ``<kind>/<name>.pgn``, in the place of what was there. Raises `OutputError`."""
        path = self.folder / "games" / kind / f"{name}.pgn"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as building, building.open("w", encoding="utf-8", newline="\n") as file:
                for game in games:
                    file.write(game.strip() + "\n\n\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}") from error
        return path

    def files(self, kind: str = "") -> list[Path]:
        """The files of a kind, or all, by name; without what a killed process left, which is removed."""
        folder = self.folder / "games" / kind
        for path in folder.rglob(".*.new"):
            if _LEFT_OVER.fullmatch(path.name):
                path.unlink(missing_ok=True)
        return sorted(folder.rglob("*.pgn"))

    def index(self, paths: Iterable[Path], halt: Halt, outcome: Outcome, *, settled: bool = False) -> None:
        """Read those of the files that are new or changed into the library.

        ``settled`` leaves files for the next time that were changed a moment ago. Raises `LibraryError` and `Stopped`;
        what was read until then stays, and is gone on from.
        """
        known = self._feeds.all("file ")
        for path in paths:
            halt.check()
            name = f"file {path.absolute()}"
            try:
                status = path.stat()
            except OSError as error:
                outcome.problems.append(f"{path}: {error.strerror}")
                continue
            state = known.get(name, {})
            now = {"size": status.st_size, "mtime": status.st_mtime_ns}
            if state.get("done") == now:
                continue
            if settled and state.get("seen") != now and time.time() - status.st_mtime < SETTLED_SECONDS:
                self._feeds.set(name, {**state, "seen": now})
                outcome.counts["waiting"] += 1
                continue
            self._index_one(path, halt, outcome)
            self._feeds.set(name, {"done": now})

    def _index_one(self, path: Path, halt: Halt, outcome: Outcome) -> None:
        done = Progress()

        def progress(now: Progress) -> None:
            nonlocal done
            done = now
            # Between two transactions: what is stored is whole.
            halt.check()

        try:
            done = index_files(self.library, [path], jobs=self._jobs, progress=progress)
            outcome.problems.extend(str(failure) for failure in done.failures)
        finally:
            skipped = done.skipped.total()
            outcome.counts["files"] += 1
            outcome.counts["games"] += done.games
            outcome.counts["new"] += done.new_games
            outcome.counts["skipped"] += skipped
            # The same game from another source, or under another id.
            outcome.counts["duplicates"] += done.games - skipped - done.new_games
            outcome.counts["sightings"] += done.sightings
