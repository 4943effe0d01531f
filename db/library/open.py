"""Opening and making a trap library.

A library is a SQLite file, or anything that a SQLAlchemy URL names. It says in its table ``meta`` what it is; a file
that does not say so is never written to.
"""

import errno
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from db.library.library import Library
from db.library.schema import SCHEMA, make_schema
from db.storage.database import (
    BUSY_SECONDS,
    FORMAT,
    Database,
    can_write,
    make_file,
    server_engine,
    sqlite_engine,
    translated_error,
)
from db.storage.schema_check import foreign_objects, has_own_tables, schema_differences
from db.storage.tables import MetaRow
from trapcore import _native
from trapcore.errors import LibraryError
from trapcore.io.atomic_write import final_path
from trapcore.io.output_check import is_database, status_of
from trapcore.io.work_folder import WorkFolder, sweep
from trapcore.version import installed_version

PUBLISHING_SECONDS = 1.0
"""For which a new library may have two names: that under which it was made, and its own."""

COPIED = "copied_by"
"""Key of ``meta`` that only a copy of a library has, see `db.library.backup`."""


def open_library(
    path_or_url: Path | str, *, create: bool = False, read_only: bool = False, busy_seconds: float = BUSY_SECONDS
) -> Library:
    """Open a library; close it, or use it as a context manager.

    ``create`` makes an empty one where there is none. ``read_only`` leaves nothing beside the file and needs no right
    to write. ``busy_seconds`` is how long to wait for another program that is writing. Raises `LibraryError` if the
    library is missing, is none, is damaged, locked, or of another version.
    """
    if _is_url(path_or_url):
        database = _server(str(path_or_url), read_only=read_only, busy_seconds=busy_seconds)
        if create and not _is_library(database):
            _make(database)
        return Library(_checked(database))
    path = _file(path_or_url)
    if not _exists(path):
        if not create:
            raise LibraryError(f"there is no trap library at {path}; make one with `{_init(path)}`")
        create_library(path)
    _check_file(path)
    sweep(Path(os.path.realpath(path)).parent)
    if not read_only:
        if not can_write(path):
            raise LibraryError(f"{path} cannot be written: it or its folder is read-only")
        _check_only_name(path)
    # The first look is always a reading one, so that a foreign file is left as it is.
    look = Database(sqlite_engine(path, read_only=True, busy_seconds=busy_seconds), str(path), read_only=True)
    _checked(look)
    if read_only:
        return Library(look)
    look.close()
    engine = sqlite_engine(path, read_only=False, busy_seconds=busy_seconds)
    database = Database(engine, str(path), read_only=False)
    try:
        if is_copy(database):
            with database.write() as connection:
                connection.execute(delete(MetaRow).where(MetaRow.key == COPIED))
    except BaseException:
        database.close()
        raise
    return Library(database)


def create_library(path: Path | str, fill: Callable[[Library], None] | None = None) -> None:
    """Make a library file, with what ``fill`` puts into it.

    It appears under its name only when it is complete, so that an interrupted run leaves none rather than half of one.
    If another program makes the same file meanwhile, that one stays. Raises `LibraryError`.
    """
    path = _file(path)
    try:
        target = final_path(path)
        if not target.parent.is_dir():
            raise LibraryError(f"{path} cannot be made, because its folder does not exist; make the folder first")
        folder = WorkFolder.make(target.parent)
        try:
            building = folder.begin()
            make_file(building)
            database = Database(sqlite_engine(building, read_only=False), str(path), read_only=False)
            try:
                _make(database)
                if fill is not None:
                    fill(Library(database))
            finally:
                database.close()
            building.chmod(folder.default_mode)
            with suppress(FileExistsError):
                _publish(building, target)
        finally:
            folder.remove()
    except OSError as error:
        raise LibraryError(f"{path} cannot be made: {error.strerror}") from error
    except sqlite3.Error as error:
        raise translated_error(str(path), error) from error


def mark_as_copy(path: Path) -> None:
    """Have the library in this file say that it is a copy, until it is opened for writing. Raises `LibraryError`."""
    database = Database(sqlite_engine(path, read_only=False), str(path), read_only=False)
    try:
        with database.write() as connection:
            connection.execute(delete(MetaRow).where(MetaRow.key == COPIED))
            connection.execute(insert(MetaRow), [{"key": COPIED, "value": made_by()}])
    finally:
        database.close()


def is_copy(database: Database) -> bool:
    """Whether a library says that it is a copy."""
    with database.read() as connection:
        return COPIED in _facts(connection)


def is_foreign(path: Path) -> bool:
    """Whether this file is something else than a trap library. A database that cannot be read may be a damaged one, and
    an empty file is nothing yet."""
    if path.is_file() and path.stat().st_size > 0 and not is_database(path):
        return True
    try:
        _check_file(path)
        with closing(Database(sqlite_engine(path, read_only=True), str(path), read_only=True)) as look:
            return not _is_library(look)
    except LibraryError:
        return False


def made_by() -> str:
    """This program with its version, as libraries and exports name it."""
    return f"trapline {installed_version() or '(not installed)'}"


def _init(name: Path | str) -> str:
    return f"trapline library init --db {name}"


def _is_url(path_or_url: Path | str) -> bool:
    return isinstance(path_or_url, str) and "://" in path_or_url and not path_or_url.startswith("sqlite:")


def _file(path_or_url: Path | str) -> Path:
    if isinstance(path_or_url, Path):
        return path_or_url
    if path_or_url.startswith("sqlite:"):
        name = path_or_url.removeprefix("sqlite:///")
        if not name or name == path_or_url or name == ":memory:":
            raise LibraryError(f"{path_or_url} names no file; a library is kept in a file: sqlite:///PATH or just PATH")
        return Path(name)
    return Path(path_or_url)


def _server(url: str, *, read_only: bool, busy_seconds: float = BUSY_SECONDS) -> Database:
    try:
        engine = server_engine(url, busy_seconds=busy_seconds)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise LibraryError(
            f"{url.split('://')[0]}:// cannot be used: {error}; is its driver installed, as by trapline[postgres]?"
        ) from error
    return Database(engine, engine.url.render_as_string(hide_password=True), read_only=read_only)


def _exists(path: Path) -> bool:
    try:
        return status_of(path) is not None
    except OSError as error:
        raise LibraryError(f"{path} cannot be opened: {error.strerror}") from error


def _check_file(path: Path) -> None:
    """That the file looks like SQLite from outside; opening it then changes nothing."""
    if path.is_dir():
        raise LibraryError(f"{path} is a directory, not a trap library")
    if not path.is_file():
        raise LibraryError(f"{path} is a device or a pipe, not a trap library")
    if not path.stat().st_size:
        raise LibraryError(f"{path} is an empty file, not a trap library; delete it, then `{_init(path)}`")
    if not os.access(path, os.R_OK):
        raise LibraryError(f"{path} cannot be read: {os.strerror(errno.EACCES)}")
    if not is_database(path):
        raise LibraryError(f"{path} is not a trap library: it is no SQLite file")


def _is_library(database: Database) -> bool:
    with database.read() as connection:
        if not has_own_tables(connection):
            return False
        written = connection.scalar(select(MetaRow.value).where(MetaRow.key == "format"))
        return written == FORMAT


def _facts(connection: Connection) -> dict[str, str]:
    return {row.key: row.value for row in connection.execute(select(MetaRow.key, MetaRow.value))}


def _checked(database: Database) -> Database:
    """A library that this program can use. Raises `LibraryError` for any other, which is closed."""
    try:
        _check(database)
    except BaseException:
        database.close()
        raise
    return database


def _check(database: Database) -> None:
    if not _is_library(database):
        raise LibraryError(f"{database.name} is a database, but not a trap library of trapline; it was left as it is")
    with database.read() as connection:
        facts, foreign = _facts(connection), foreign_objects(connection)
        differences = schema_differences(connection)
    if foreign:
        raise LibraryError(
            f"{database.name} has what no trap library has and what could change it unnoticed: {', '.join(foreign)}; "
            "it was left as it is. Ask for its traps as PGN instead, which `trapline library export` writes"
        )
    for key, now in _versions().items():
        if (there := facts.get(key, "unknown")) != str(now):
            raise LibraryError(
                f"{database.name} was made by {facts.get('made_by')} with {key.replace('_', ' ')} {there}, and this "
                f"program needs {now}: use the trapline that made it, or make a library with `{_init('NEW')}` and "
                "index the games again"
            )
    if differences:
        raise LibraryError(
            f"{database.name} is damaged: its tables are not those of schema {SCHEMA}: {'; '.join(differences)}; "
            "put back a copy of it"
        )


def _versions() -> dict[str, int]:
    """Versions of the tables and of what is computed from positions and stored."""
    return {
        "schema": SCHEMA,
        "position_key_version": _native.POSITION_KEY_VERSION,
        "fingerprint_version": _native.FINGERPRINT_VERSION,
    }


def _make(database: Database) -> None:
    with database.write() as connection:
        make_schema(connection)
        facts = {"format": FORMAT, "made_by": made_by(), **{key: str(now) for key, now in _versions().items()}}
        connection.execute(insert(MetaRow), [{"key": key, "value": value} for key, value in facts.items()])


def _check_only_name(path: Path) -> None:
    """Raise `LibraryError` for a file with a second name (a hard link): SQLite keeps the log of what is written beside
    the name, so that programs that use different ones destroy what the other has written."""
    end = time.monotonic() + PUBLISHING_SECONDS
    while path.stat().st_nlink > 1:
        if time.monotonic() > end:
            raise LibraryError(
                f"{path} has another name on its disk (a hard link), by which another program could write to it and "
                "damage it; remove that name, copy the library with `trapline library backup`, or use a symbolic link"
            )
        time.sleep(0.01)


def _publish(building: Path, path: Path) -> None:
    try:
        os.link(building, path)  # unlike a rename it does not replace a file that came in between
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise
        building.rename(path)  # a file system without links
