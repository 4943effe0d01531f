"""Copies of a library in a SQLite file, and the compaction of that file.

A library on a server is the server's own to copy: these functions say so.
"""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from db.library.library import Library
from db.library.open import open_library
from db.storage.database import Database, sqlite_engine
from trapcore.errors import LibraryError, OutputError, UsageError
from trapcore.io.atomic_write import replacing

_COMPANIONS = ("-wal", "-shm", "-journal")


def back_up(library: Library, path: Path) -> int:
    """Copy a library as it is at one moment into the file ``path``, whoever writes to it meanwhile; bytes of the copy.

    The copy is read through before it gets its name. Raises `LibraryError`, and `OutputError` for a file that cannot be
    written.
    """
    _needs_a_file(library, "back it up with its own tool, e.g. pg_dump --format=custom")
    try:
        with replacing(path) as building:
            try:
                _copy(library.database, building)
                with open_library(building, read_only=True) as copy:
                    copy.check_file()
                _sync(building)
            finally:
                _remove_companions(building)
            size = building.stat().st_size
    except sqlite3.Error as error:
        raise _unwritten(path, error) from error
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return size


def restore(backup: Path, path: Path, *, replace: bool = False) -> Path:
    """Put a copy of the library ``backup`` at ``path``; it is read through first. ``path`` is given back.

    Raises `LibraryError` if the backup is none, damaged or of another version, or if the library there is in use, and
    `UsageError` if there is one and nobody said to ``replace`` it.
    """
    if path.exists() and backup.exists() and path.samefile(backup):
        raise UsageError(f"{backup} is that library itself")
    with open_library(backup, read_only=True) as copy:
        copy.check_file()
        if path.exists() and not replace:
            raise UsageError(f"{_what_is_there(path, copy)}; say --replace to put {backup} in its place")
        try:
            with replacing(path) as building:
                try:
                    _copy(copy.database, building)
                    _sync(building)
                finally:
                    _remove_companions(building)
                _put_to_rest(path)
        except sqlite3.Error as error:
            raise _unwritten(path, error) from error
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def vacuum(library: Library) -> tuple[int, int]:
    """Write the file of a library anew without its gaps; bytes before and after.

    Raises `LibraryError` if somebody else is at work in it, which changes nothing.
    """
    path = _needs_a_file(library, "it tidies itself")
    with library.database.translate_errors(), closing(library.database.engine.raw_connection()) as connection:
        cursor = connection.cursor()
        # What is in the log only counts as well.
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before = path.stat().st_size
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA optimize")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, path.stat().st_size


def _unwritten(path: Path, error: sqlite3.Error) -> OutputError:
    detail = " ".join(str(error).split())
    return OutputError(
        f"{path} cannot be written ({detail}); check the space that is left and the rights on its folder"
    )


def _needs_a_file(library: Library, instead: str) -> Path:
    if library.database.engine.dialect.name != "sqlite":
        raise LibraryError(f"{library.name} is on a database server: {instead}")
    return Path(library.name)


def _copy(source: Database, path: Path) -> None:
    with (
        closing(source.engine.raw_connection()) as connection,
        closing(sqlite3.connect(path, isolation_level=None)) as target,
    ):
        reading = connection.driver_connection
        assert isinstance(reading, sqlite3.Connection)
        # All pages in one go are one moment; in steps it would begin again whenever somebody writes.
        reading.backup(target, pages=-1)
    # At rest, as every library that nobody has open: one file and nothing beside it.
    Database(sqlite_engine(path, read_only=False), str(path), read_only=False).close()


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _remove_companions(path: Path) -> None:
    for suffix in _COMPANIONS:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _put_to_rest(path: Path) -> None:
    """Make certain that nobody has the library open, and that no log of it is left for the file that comes."""
    if path.exists():
        opened = sqlite3.connect(path, timeout=1.0, isolation_level=None)
        with suppress(sqlite3.DatabaseError), closing(opened) as there:
            try:
                there.execute("PRAGMA journal_mode = DELETE")
                there.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise LibraryError(f"{path} is in use; stop whatever has it open and try again") from error
            # Anything else that is wrong with it is why it is being replaced.
    _remove_companions(path)


def _what_is_there(path: Path, copy: Library) -> str:
    try:
        with open_library(path, read_only=True) as there:
            known, new = there.counts(), copy.counts()
    except LibraryError as error:
        return f"there is a file already: {error}"
    return (
        f"{path} is a library with {known.traps:,} traps and {known.games:,} games, the backup has {new.traps:,} and "
        f"{new.games:,}"
    )
