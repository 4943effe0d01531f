"""Fetched games of a month that is over, joined in one compressed file.

Polling leaves a file for each time that there were new games, thousands in a year. Those of users and of lichess TV,
whose names are times, are joined by month when they are indexed: ``users/anna/2026-10.pgn.zst``. The joined file is
read again before the others are deleted, and a run that is killed in between is brought to its end by the next.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

from service.games.game_files import GameFiles, file_feed, state_of
from service.state.clock import StopFlag
from service.state.job_log import Outcome
from service.state.source_state import SourceState
from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing
from trapcore.io.streams import open_bytes, open_for_write

LATE_DAYS = 2
"""Days after the end of a month in which its games are still expected."""

_POLLED = re.compile(r"(\d{4})(\d\d)\d\dT\d{6}-\w+\.pgn")
"""Name of a file by the time of its oldest game."""


def join_months(
    games: GameFiles, source_state: SourceState, copies: Path, now: float, stop_flag: StopFlag, outcome: Outcome
) -> None:
    """Join the files of the months that are over. ``copies``: the folder of annotated copies, whose files of the same
    names are deleted with them; ``now``: seconds since 1970.

    Raises `OutputError`, and `Stopped` between two months.
    """
    latest = datetime.fromtimestamp(now, UTC) - timedelta(days=LATE_DAYS)
    this_month = f"{latest:%Y-%m}"
    for target, paths in _by_target(games.files()):
        if target.name < this_month:
            stop_flag.check()
            try:
                _Month(games, source_state, copies, target).join(paths, outcome)
            except OSError as error:
                raise OutputError(f"{target} cannot be written: {error.strerror}") from error


def _by_target(paths: Sequence[Path]) -> Iterator[tuple[Path, list[Path]]]:
    """Files by the month's file that they belong to; ``paths`` are in order."""

    def target(path: Path) -> Path | None:
        named = _POLLED.fullmatch(path.name)
        return None if named is None else path.with_name(f"{named[1]}-{named[2]}.pgn.zst")

    for month, same in groupby(paths, key=target):
        if month is not None:
            yield month, list(same)


class _Month:
    """The file of one month, and those that come into it."""

    def __init__(self, games: GameFiles, source_state: SourceState, copies: Path, target: Path) -> None:
        self._root = games.folder / "games"
        self._source_state = source_state
        self._copies = copies
        self._target = target
        self._feed = f"month {target.absolute()}"

    def join(self, paths: Sequence[Path], outcome: Outcome) -> None:
        """Join those of the files that are indexed; the others wait."""
        gone = self._finish_last()
        paths = [path for path in paths if path.name not in gone]
        ready = [path for path in paths if self._source_state.get(file_feed(path)).get("done") == state_of(path)]
        if not ready:
            return
        parts = [self._target, *ready] if self._target.exists() else ready
        with replacing(self._target) as building:
            written = hashlib.sha256()
            with open_for_write(building, compress_as=".zst") as out:
                for chunk in _chunks(parts):
                    out.write(chunk)
                    written.update(chunk)
            found = hashlib.sha256()
            for chunk in _chunks([building]):
                found.update(chunk)
            if found.digest() != written.digest():
                raise OutputError(f"{self._target}: what was written cannot be read again as it was")
            with building.open("rb") as file:
                os.fsync(file.fileno())
            names = [path.name for path in ready]
            self._source_state.set(self._feed, {"digest": _digest(building), "files": names})
        self._finish_last()
        outcome.counts["joined"] += len(ready)

    def _finish_last(self) -> set[str]:
        """Delete the files that were joined last, if the joined file is in its place; their names."""
        last = self._source_state.get(self._feed)
        if not last:
            return set()
        if not self._target.exists() or _digest(self._target) != last["digest"]:
            # The run ended before the joined file was there: the others are as they were.
            self._source_state.remove([self._feed])
            return set()
        self._source_state.set(file_feed(self._target), {"done": state_of(self._target)})
        gone = [self._target.with_name(name) for name in last["files"]]
        for path in gone:
            path.unlink(missing_ok=True)
            (self._copies / path.relative_to(self._root)).unlink(missing_ok=True)
        self._source_state.remove(
            [self._feed, *(file_feed(path) for path in gone), *(f"annotated {path}" for path in gone)]
        )
        return {path.name for path in gone}


def _chunks(paths: Iterable[Path]) -> Iterator[bytes]:
    """The decompressed bytes of files, one after the other."""
    for path in paths:
        with open_bytes(path) as reader:
            yield from reader


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
