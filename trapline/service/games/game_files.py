"""Fetched games as PGN files in the service's folder, and indexing them into the library.

Everything fetched is first written to a file, atomically, and then indexed. So nothing is lost if the process is killed
in between, and the library can be rebuilt from the files.
"""

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from db.games.index_games import Progress, index_files
from db.library.library import Library
from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing
from trapcore.io.work_folder import is_work_folder, sweep
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome
from trapline.service.state.source_state import SourceState

GAME_END = "\n\n\n"
"""What is written behind each game."""

SETTLED_SECONDS = 60.0
"""A watched file that changed less than this ago may not be complete."""


def file_feed(path: Path) -> str:
    """The name under which the state of a file is kept."""
    return f"file {path.absolute()}"


def state_of(path: Path) -> dict[str, int]:
    """Size and time of a file, by which a change is seen. Raises `OSError`."""
    status = path.stat()
    return {"size": status.st_size, "mtime": status.st_mtime_ns}


class GameFiles:
    """Folder of PGN files and the library that it fills."""

    def __init__(self, folder: Path, library: Library, source_state: SourceState, *, jobs: int) -> None:
        """``jobs``: threads that index games, 1 or more."""
        self.folder = folder
        self.library = library
        self._source_state = source_state
        self._jobs = jobs

    def put(self, kind: str, name: str, games: Iterable[str]) -> Path:
        """Write games to ``<kind>/<name>.pgn``, replacing the file if it exists. Raises `OutputError`, also for a name
        that could lead out of the folder.
        """
        if not re.fullmatch(r"[\w-]+(/[\w-]+)?", name, re.ASCII):
            raise OutputError(f"{name[:100]!r} is no name for a file of games")
        path = self.folder / "games" / kind / f"{name}.pgn"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as building, building.open("w", encoding="utf-8", newline="\n") as file:
                for game in games:
                    file.write(game.strip() + GAME_END)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}") from error
        return path

    def files(self, kind: str = "") -> list[Path]:
        """Files of a kind, or all, by name, those of whole months among them.

        Links to files and folders count as these; a folder that can be reached by several ways is read once. Temporary
        files that a killed process left are removed.
        """
        found: list[Path] = []
        been: set[tuple[int, int]] = set()
        for name, folders, names in os.walk(self.folder / "games" / kind, followlinks=True):
            folder = Path(name)
            try:
                status = folder.stat()
            except OSError:
                continue  # deleted meanwhile
            if (status.st_dev, status.st_ino) in been:
                folders.clear()
                continue
            been.add((status.st_dev, status.st_ino))
            if any(is_work_folder(inside) for inside in folders):
                sweep(folder)
            folders[:] = sorted(inside for inside in folders if not is_work_folder(inside))
            # What is no file, such as a pipe, would be waited for without end.
            found += [
                folder / file for file in names if file.endswith((".pgn", ".pgn.zst")) and (folder / file).is_file()
            ]
        return sorted(found)

    def index(self, paths: Iterable[Path], stop_flag: StopFlag, outcome: Outcome, *, settled: bool = False) -> None:
        """Index those of the files that are new or changed.

        ``settled`` postpones files that changed less than `SETTLED_SECONDS` ago. Raises `LibraryError` and `Stopped`;
        what is indexed by then stays, and the next call continues from there.
        """
        known = self._source_state.all("file ")
        for path in paths:
            stop_flag.check()
            name = file_feed(path)
            try:
                now = state_of(path)
            except OSError as error:
                outcome.problems.append(f"{path}: {error.strerror}")
                continue
            state = known.get(name, {})
            if state.get("done") == now:
                continue
            if settled and state.get("seen") != now and time.time() - now["mtime"] / 1e9 < SETTLED_SECONDS:
                self._source_state.set(name, {**state, "seen": now})
                outcome.counts["waiting"] += 1
                continue
            self._index_one(path, stop_flag, outcome)
            self._source_state.set(name, {"done": now})

    def _index_one(self, path: Path, stop_flag: StopFlag, outcome: Outcome) -> None:
        done = Progress()

        def progress(now: Progress) -> None:
            nonlocal done
            done = now
            # Between two transactions: what is stored is whole.
            stop_flag.check()

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
