"""Fetched games of a month that is over, joined in one compressed file.

Polling leaves a file for each time that there were new games, thousands in a year. Those of users and of lichess TV,
whose names are times, are joined by month: ``users/anna/2026-10.pgn.zst``. The joined file is read again and indexed
before the others are deleted. A run that is killed in between is done again: a game that comes twice, letter for
letter, is joined once.
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trapcore.errors import InputError, OutputError, UsageError
from trapcore.io.atomic_write import replacing
from trapcore.io.streams import open_bytes, open_for_write
from trapline.service.games.game_files import GAME_END, GameFiles, file_feed, state_of
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome
from trapline.service.state.source_state import SourceState, State

LATE_DAYS = 2
"""Days after the end of a month in which its games are still expected."""

_POLLED = re.compile(r"(\d{4})(\d\d)\d\dT\d{6}-[\w-]+\.pgn", re.ASCII)
"""Name of a file by the time of its oldest game."""

_GAME = re.compile(rb'\[Event ".*(?:1-0|0-1|1/2-1/2|\*)', re.DOTALL)
"""A whole game as the sources send it."""


def join_months(
    games: GameFiles, source_state: SourceState, copies: Path, now: float, stop_flag: StopFlag, outcome: Outcome
) -> None:
    """Join the files of the months that are over. ``copies``: the folder of annotated copies, whose files of the same
    names are deleted with them; ``now``: seconds since 1970.

    Files that are not indexed as they are, and links, wait. A month that cannot be joined is a problem of the outcome.
    Raises `LibraryError`, and `Stopped` between two files.
    """
    latest = datetime.fromtimestamp(now, UTC) - timedelta(days=LATE_DAYS)
    known = source_state.all("file ")
    for target, parts in sorted(_by_target(games.files()).items()):
        stop_flag.check()
        if target.name >= f"{latest:%Y-%m}":
            continue
        try:
            ready = {path: state for path in parts if (state := _indexed(path, known)) is not None}
            if not ready:
                continue
            _join(target, ready, stop_flag)
            games.index([target], stop_flag, outcome)
            for path in (path for path, state in ready.items() if state_of(path) == state):
                (copies / path.relative_to(games.folder / "games")).unlink(missing_ok=True)
                path.unlink()
        except (InputError, OutputError, UsageError, OSError) as error:
            reason = f"{error.filename or 'it'}: {error.strerror}" if isinstance(error, OSError) else error
            outcome.counts["failed"] += 1
            outcome.problems.append(f"{target} waits: {reason}")
        else:
            outcome.counts["joined"] += len(ready)
    for prefix, folder in (("file ", games.folder.absolute()), ("annotated ", games.folder)):
        feeds = source_state.all(f"{prefix}{folder}{os.sep}")
        source_state.remove([feed for feed in feeds if not Path(feed.removeprefix(prefix)).exists()])


def _by_target(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    found: dict[Path, list[Path]] = defaultdict(list)
    for path in paths:
        if (named := _POLLED.fullmatch(path.name)) is not None and not path.is_symlink():
            found[path.with_name(f"{named[1]}-{named[2]}.pgn.zst")].append(path)
    return found


def _indexed(path: Path, known: Mapping[str, State]) -> State | None:
    """State of a file that is indexed as it is; None for another one."""
    now = state_of(path)
    return now if known.get(file_feed(path), {}).get("done") == now else None


def _join(target: Path, ready: Mapping[Path, State], stop_flag: StopFlag) -> None:
    """Write the month's file with these. Raises `InputError` if one was written again meanwhile."""
    if target.is_symlink():
        raise InputError(f"{target} is a link")
    with replacing(target) as building:
        written = hashlib.sha256()
        with open_for_write(building, compress_as=".zst") as out:
            for piece in _pieces([target, *ready] if target.exists() else ready, stop_flag):
                out.write(piece)
                written.update(piece)
        found = hashlib.sha256()
        for chunk in _chunks(building):
            found.update(chunk)
        if found.digest() != written.digest():
            raise OutputError(f"{target}: what was written cannot be read again as it was")
        _sync(building)
        for path, state in ready.items():
            if state_of(path) != state:
                raise InputError(f"{path} was replaced while it was joined")
    # After a power cut too, what is deleted lies in the month.
    _sync(target.parent)


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
    if waiting.strip():
        yield waiting + end


def _chunks(path: Path) -> Iterator[bytes]:
    with open_bytes(path) as reader:
        yield from reader


def _sync(path: Path) -> None:
    """Have a file or folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
