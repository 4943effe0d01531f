"""Fetched games of a month that is over, joined in one compressed file.

Polling leaves a file for each time that there were new games, thousands in a year. Those of users and of lichess TV,
whose names are times, are joined by month when they are indexed: ``users/anna/2026-10.pgn.zst``. The joined file is
read again before the others are deleted, and a run that is killed in between is brought to its end by the next.

A file that is a link, or is written again meanwhile, stays as it is, and a month that cannot be read waits with all
that belongs into it; the other months are joined.
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trapcore.errors import InputError, OutputError, UsageError
from trapcore.io.atomic_write import final_path, replacing
from trapcore.io.streams import open_bytes, open_for_write
from trapcore.io.work_folder import WorkFolder
from trapline.service.games.game_files import GAME_END, GameFiles, file_feed, state_of
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome
from trapline.service.state.source_state import SourceState, State

LATE_DAYS = 2
"""Days after the end of a month in which its games are still expected."""

LONGEST_GAME = 1 << 20
"""Most bytes of a game that is compared with the others; what is longer is taken over in pieces."""

_FEED = "month "
"""What the name begins with under which is kept what was joined last in a month's file."""

_POLLED = re.compile(r"(\d{4})(\d\d)\d\dT\d{6}-[\w-]+\.pgn", re.ASCII)
"""Name of a file by the time of its oldest game."""

_GAME = re.compile(rb'\[Event ".*(?:1-0|0-1|1/2-1/2|\*)', re.DOTALL)
"""A whole game as the sources send it."""


def join_months(
    games: GameFiles, source_state: SourceState, copies: Path, now: float, stop_flag: StopFlag, outcome: Outcome
) -> None:
    """Join the files of the months that are over. ``copies``: the folder of annotated copies, whose files of the same
    names are deleted with them; ``now``: seconds since 1970.

    A month that cannot be joined is a problem of the outcome. Raises `LibraryError`, and `Stopped` between two files.
    """
    latest = datetime.fromtimestamp(now, UTC) - timedelta(days=LATE_DAYS)
    this_month = f"{latest:%Y-%m}"
    by_target = _by_target(games.files())
    unfinished = _unfinished(games, source_state)
    for target in sorted({*by_target, *unfinished}):
        if target.name < this_month or target in unfinished:
            stop_flag.check()
            try:
                outcome.counts["joined"] += _Month(games, source_state, copies, target).join(
                    by_target.get(target, []), stop_flag
                )
            except (InputError, OutputError, UsageError, OSError) as error:
                reason = f"{error.filename or 'it'}: {error.strerror}" if isinstance(error, OSError) else error
                outcome.counts["failed"] += 1
                outcome.problems.append(f"{target} waits: {reason}")


def _by_target(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    """Files by the month's file that they belong to."""
    found: dict[Path, list[Path]] = defaultdict(list)
    for path in paths:
        if (named := _POLLED.fullmatch(path.name)) is not None:
            found[path.with_name(f"{named[1]}-{named[2]}.pgn.zst")].append(path)
    return found


def _unfinished(games: GameFiles, source_state: SourceState) -> set[Path]:
    """Months whose last run was killed, of which nothing may be left but the joined file."""
    start = f"{_FEED}{games.folder.absolute()}{os.sep}"
    return {games.folder / feed.removeprefix(start) for feed in source_state.all(start)}


class _Month:
    """The file of one month, and those that come into it."""

    def __init__(self, games: GameFiles, source_state: SourceState, copies: Path, target: Path) -> None:
        self._root = games.folder / "games"
        self._source_state = source_state
        self._copies = copies
        self._target = target
        self._feed = f"{_FEED}{target.absolute()}"

    def join(self, paths: Sequence[Path], stop_flag: StopFlag) -> int:
        """Join those of the files that are indexed; the others wait. The number of those that were joined."""
        self._finish_last()
        known = self._source_state.all(f"file {self._target.parent.absolute()}")
        ready = {path: state for path in paths if (state := _indexed(path, known)) is not None}
        if not ready:
            return 0
        with replacing(self._target) as building:
            # Nobody else writes the month from here on, so what is known of it holds.
            self._check(ready, known)
            parts = [self._target, *ready] if self._target.exists() else [*ready]
            written = hashlib.sha256()
            with open_for_write(building, compress_as=".zst") as out:
                for piece in _pieces(parts, stop_flag):
                    out.write(piece)
                    written.update(piece)
            found = hashlib.sha256()
            for chunk in _chunks(building):
                found.update(chunk)
            if found.digest() != written.digest():
                raise OutputError(f"{self._target}: what was written cannot be read again as it was")
            _sync(building)
            for path, state in ready.items():
                if state_of(path) != state:
                    raise InputError(f"{path} was replaced while it was joined")
            files = {path.name: state for path, state in ready.items()}
            self._source_state.set(self._feed, {"digest": _digest(building), "files": files})
        self._finish_last()
        return len(ready)

    def _check(self, ready: Mapping[Path, State], known: Mapping[str, State]) -> None:
        """Raise `InputError` unless the month's file may be read into one with these.

        One that is not indexed would count as indexed afterwards; one that is the same file as another would be deleted
        with it.
        """
        if not os.path.lexists(self._target):
            return
        real = final_path(self._target)
        if not real.exists():
            raise InputError(f"{self._target} is a link that leads nowhere")
        if not real.stat().st_size:
            raise InputError(f"{self._target} is empty, where a month was")
        if any(real.samefile(path) for path in ready):
            raise InputError(f"{self._target} is the same file as one that belongs into it")
        if known.get(file_feed(self._target), {}).get("done") != state_of(self._target):
            raise InputError(f"{self._target} was changed and is not indexed yet")

    def _finish_last(self) -> None:
        """Delete the files that were joined last, if the joined file is in its place; not one that was written again
        since.
        """
        last = self._source_state.get(self._feed)
        if not last:
            return
        is_there = self._target.is_file() and _digest(self._target) == last["digest"]
        if not is_there or not isinstance(last["files"], dict):
            # The run ended before the joined file was there: the others are as they were.
            self._source_state.remove([self._feed])
            return
        joined = {self._target.with_name(name): state for name, state in last["files"].items()}
        # What is deleted must not be written by anybody in the same moment.
        lock = WorkFolder.make(Path(os.path.realpath(self._target.parent)), list(last["files"]))
        try:
            # After a power cut too, what was deleted lies in the month.
            _sync(final_path(self._target).parent)
            self._source_state.set(file_feed(self._target), {"done": state_of(self._target)})
            gone = [path for path, state in joined.items() if _state_if_there(path) in (None, state)]
            for path in gone:
                path.unlink(missing_ok=True)
                (self._copies / path.relative_to(self._root)).unlink(missing_ok=True)
        finally:
            lock.remove()
        self._source_state.remove(
            [self._feed, *(file_feed(path) for path in gone), *(f"annotated {path}" for path in gone)]
        )


def _indexed(path: Path, known: Mapping[str, State]) -> State | None:
    """State of a file that is indexed as it is; None for another one, and for a link."""
    now = _state_if_there(path)
    if now is None or path.is_symlink() or known.get(file_feed(path), {}).get("done") != now:
        return None
    return now


def _state_if_there(path: Path) -> State | None:
    try:
        return state_of(path)
    except FileNotFoundError:
        return None


def _pieces(paths: Iterable[Path], stop_flag: StopFlag) -> Iterator[bytes]:
    """The text of files, one after the other, without the games that were there before, byte for byte."""
    seen: set[bytes] = set()
    for path in paths:
        stop_flag.check()
        for piece in _split(path):
            if _GAME.fullmatch(game := piece.strip()):
                digest = hashlib.sha256(game).digest()
                if digest in seen:
                    continue
                seen.add(digest)
            yield piece


def _split(path: Path) -> Iterator[bytes]:
    """The text of a file, cut behind each `GAME_END`, with one at its end."""
    end = GAME_END.encode()
    waiting = b""
    for chunk in _chunks(path):
        *whole, waiting = (waiting + chunk).split(end)
        for piece in whole:
            yield piece + end
        if len(waiting) > LONGEST_GAME:
            yield waiting[: -len(end)]
            waiting = waiting[-len(end) :]
    if waiting.strip():
        yield waiting + end
    elif waiting:
        yield waiting


def _chunks(path: Path) -> Iterator[bytes]:
    """The decompressed bytes of a file."""
    with open_bytes(path) as reader:
        yield from reader


def _sync(path: Path) -> None:
    """Have a file or folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
