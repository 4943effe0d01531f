"""Copies of a library in a SQLite file, and the compaction of that file.

A copy says that it is one, and only a copy is replaced by a newer one. A library on a server is the server's own to
copy: these functions say so.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from db.library.library import Library
from db.library.open import is_copy, is_foreign, mark_as_copy, open_library
from db.storage.companions import check_companions
from db.storage.database import Database, make_file
from trapcore.errors import LibraryError, OutputError, UsageError
from trapcore.io.atomic_write import final_path, give_mode_and_owner, work_folder
from trapcore.io.output_check import COMPANIONS, check_outputs, is_database, status_of


def back_up(library: Library, path: Path) -> int:
    """Copy a library as it is at one moment into the file ``path``, while others write to it; bytes of the copy.

    The copy is read through before it gets its name. Nobody may read it who may not read the library. Through a link
    the file behind it is replaced. Raises `LibraryError`, `UsageError` if ``path`` is a file of the library or any
    other than a copy of one, and `OutputError` for a file that cannot be written.
    """
    file = _needs_a_file(library, "back it up with its own tool, e.g. pg_dump --format=custom")
    used = [(f"{file}{suffix}", "the library itself") for suffix in ("", *COMPANIONS)]
    check_outputs([path], used, may_be_database=True)
    try:
        _check_is_copy(path)
        target = final_path(path)
        before, like = status_of(target), file.stat()
        with work_folder(target) as folder:
            building = folder.begin()
            _copy(library.database, building)
            mark_as_copy(building)
            with open_library(building, read_only=True) as copy:
                copy.check_file()
            size = building.stat().st_size
            give_mode_and_owner(building, like)
            if before is not None:
                building.chmod(building.stat().st_mode & before.st_mode & 0o777)
            building.replace(target)
    except sqlite3.Error as error:
        raise _unwritten(path, error) from error
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return size


def restore(backup: Path, path: Path, *, replace: bool = False) -> Path:
    """Put a copy of the library ``backup`` at ``path``; it is read through first. ``path`` is given back.

    A library that is replaced leaves its mode and owner to the new one; otherwise that has those of the backup. Through
    a link the file behind it is replaced. Raises `LibraryError` if the backup is none, damaged or of another version,
    or if the library there is in use, `UsageError` if there is one and nobody said to ``replace`` it or if something
    else is there, and `OutputError`.
    """
    check_outputs([path], [(backup, "that library itself")], may_be_database=True)
    with open_library(backup, read_only=True) as copy:
        copy.check_file()
        if path.exists() and is_foreign(path):
            raise UsageError(f"{path} is no trap library; choose another name, or move it away first")
        if path.exists() and not replace:
            raise UsageError(f"{_what_is_there(path, copy)}; say --replace to put {backup} in its place")
        try:
            target = final_path(path)
            like = status_of(target) or backup.stat()
            with work_folder(target) as folder:
                building = folder.begin()
                _copy(copy.database, building)
                open_library(building).close()  # it is no copy any more
                give_mode_and_owner(building, like)
                with _at_rest(target):
                    building.replace(target)
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


def _check_is_copy(path: Path) -> None:
    """Raise `UsageError` for a file that is no copy of a library, unless it is empty."""
    try:
        if not path.stat().st_size:
            return
    except FileNotFoundError:
        return
    if not is_database(path):
        raise UsageError(f"{path} is a file that is no backup; choose another name, or delete it first")
    try:
        with open_library(path, read_only=True) as there:
            if is_copy(there.database):
                return
        what = "a trap library, and no backup of one"
    except LibraryError as error:
        what = f"a database ({error})"
    raise UsageError(f"{path} is {what}; choose another name, or delete it first")


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
    make_file(path)
    with (
        closing(source.engine.raw_connection()) as connection,
        closing(sqlite3.connect(path, isolation_level=None)) as target,
    ):
        reading = connection.driver_connection
        assert isinstance(reading, sqlite3.Connection)
        # All pages in one go are one moment; in steps it would begin again whenever somebody writes.
        reading.backup(target, pages=-1)


@contextmanager
def _at_rest(path: Path) -> Iterator[None]:
    """Nobody has the library open, and no log of it is left for the file that comes in its place. It stays locked until
    that has come. SQLite reports to waiting processes that the file is another one, and they write nothing."""
    if not path.exists():
        _remove_companions(path)
        yield
        return
    check_companions(path)
    with closing(sqlite3.connect(path, timeout=1.0, isolation_level=None)) as opened:
        try:
            # Anything else that is wrong with it is why it is being replaced.
            with suppress(sqlite3.DatabaseError):
                try:
                    # Only in this mode SQLite notices that the file of a waiting program has lost its name.
                    opened.execute("PRAGMA journal_mode = DELETE")
                    opened.execute("BEGIN EXCLUSIVE")
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                        raise LibraryError(f"{path} is in use; stop whatever has it open and try again") from error
            _remove_companions(path)
            yield
        except BaseException:
            # The library stays.
            with suppress(sqlite3.DatabaseError):
                opened.rollback()
                opened.execute("PRAGMA journal_mode = WAL")
            raise


def _remove_companions(path: Path) -> None:
    for suffix in COMPANIONS:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


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
