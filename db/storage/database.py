"""Open database: connections, transactions, and errors of the driver in words."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, QueuePool

from db.storage.companions import check_companions
from db.storage.schema_check import has_own_tables
from db.storage.tables import MetaRow
from trapcore.errors import LibraryBusyError, LibraryError
from trapcore.io.output_check import COMPANIONS

BUSY_SECONDS = 5.0
"""How long a statement waits for another program that writes, by default."""

FORMAT = "trapline-library"
"""The value of ``meta.format``, by which a library is known."""

_UNWATCHED = "mode=ro&immutable=1"
"""Has SQLite neither lock the file nor look whether it changed."""
_WATCHED = "watched"  # in what the pool keeps with a connection: the file, and how it was when it was opened

CACHE_BYTES = 64 << 20
"""Most that SQLite keeps in memory of a file for one connection,"""
CACHES_BYTES = 2 * CACHE_BYTES
"""and for all connections of the process together, to any files."""

LONGEST_ROW = 16 << 20
"""Most bytes of a row, and of a text or blob in it: the largest of ours are weights, with some hundred thousand."""

# Keys are scattered, so that a batch of new positions touches most pages of the index on them; 8 KiB pages hold twice
# as many of them as the usual 4 KiB and leave less over.
_PAGE_BYTES = 8192
# The same pages of that index change in every transaction; copied into the file once in 64 MiB of log they cost less.
_LOG_PAGES = 8192


class Database:
    """A database behind SQLAlchemy. All reading and writing goes through `read` and `write`."""

    def __init__(self, engine: Engine, name: str, *, read_only: bool) -> None:
        """Take an engine; ``name`` is the path or URL that messages give."""
        self.engine = engine
        self.name = name
        self.read_only = read_only

        self.bad_rows: dict[str, str] = {}
        """Rows that were skipped: by the name of what one holds, why it cannot be read, see `row_check.skip`."""

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database throughout. Rows that cannot be read are skipped and
        counted in `bad_rows`. Raises `LibraryError`.
        """
        with (
            self.translate_errors(),
            self.engine.connect().execution_options(bad_rows=self.bad_rows) as connection,
            _dropped_if_interrupted(connection),
        ):
            yield connection
            if _is_stale(connection.info):
                raise LibraryBusyError(f"{self.name} was written by another program while it was read; try again")

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction, which is committed if the block ends without error and undone otherwise.

        Raises `LibraryError`, also when the database was opened for reading.
        """
        if self.read_only:
            raise LibraryError(f"{self.name} was opened for reading only")
        with (
            self.translate_errors(),
            self.engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
            _dropped_if_interrupted(connection),
        ):
            yield connection

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn the driver's errors into a `LibraryError` of one sentence. An interrupt stays one, also where its
        connection was lost with it, so that undoing the transaction failed.
        """
        try:
            yield
        except (DBAPIError, self.engine.dialect.loaded_dbapi.Error) as error:  # the second past SQLAlchemy
            if _follows_interrupt(error):
                raise KeyboardInterrupt from error
            cause = error.orig if isinstance(error, DBAPIError) else None
            raise translated_error(self.name, cause or error) from error

    def close(self) -> None:
        """Close the connections. SQLite removes the log beside the file with the last connection of all programs."""
        self.engine.dispose()


@contextmanager
def _dropped_if_interrupted(connection: Connection) -> Iterator[None]:
    """Close the connection at an interrupt: it may wait for an answer still, so that it cannot be used again."""
    try:
        yield
    except KeyboardInterrupt:
        connection.invalidate()
        raise


def make_file(path: Path) -> None:
    """Make an empty SQLite file in WAL mode, which it keeps for good: no other function chooses a mode.

    Readers and one writer then never wait for each other. Raises `sqlite3.Error`.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")


def sqlite_engine(path: Path, *, read_only: bool, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine on a SQLite file that is there, see `make_file`.

    To connect raises `LibraryError` if beside the file lies what may harm others, see `db.storage.companions`.
    """

    def connect() -> sqlite3.Connection:
        check_companions(path)
        query = _reading(path) if read_only else "mode=rw"
        address = f"{path.absolute().as_uri()}?{query}"
        return sqlite3.connect(address, timeout=busy_seconds, uri=True, isolation_level=None, check_same_thread=False)

    # Any number of threads may read, and one may read while it reads: by itself SQLAlchemy would give each thread one
    # connection, and close those of the threads beyond the fifth.
    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=QueuePool, max_overflow=-1)
    event.listen(engine, "connect", _set_query_only if read_only else _set_writing)
    if read_only:
        _watch(engine, path)
    event.listen(engine, "connect", _set_all)
    event.listen(engine, "begin", _begin)
    return engine


def _follows_interrupt(error: BaseException) -> bool:
    """Whether it was raised while an interrupt was handled."""
    before = error.__context__
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__context__
    return before is not None


def translated_error(name: str, error: BaseException) -> LibraryError:
    """The error to raise for a driver's error."""
    busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    busy = busy or getattr(error, "sqlstate", None) == "55P03"  # PostgreSQL's lock_not_available
    return (LibraryBusyError if busy else LibraryError)(format_error(name, error))


def server_engine(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine on what an SQLAlchemy URL names. Raises what SQLAlchemy raises for a bad URL."""
    scheme, rest = url.split("://", 1)
    if scheme in ("postgres", "postgresql"):
        scheme = "postgresql+psycopg"
    engine = create_engine(f"{scheme}://{rest}", pool_pre_ping=True)
    if engine.dialect.name == "postgresql":

        def begin(connection: Connection) -> None:
            if not connection.get_execution_options().get("writes", False):
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                return
            # One writer at a time, as in a file: numbers are given as the highest one and so on.
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(1000 * busy_seconds))}")
            names = func.hashtext("trapline"), func.hashtext(func.current_schema())
            connection.execute(select(func.pg_advisory_xact_lock(*names)))

        event.listen(engine, "begin", begin)
    return engine


def format_error(name: str, error: BaseException) -> str:
    """What a driver's error means for the user."""
    if type(error).__module__.startswith("psycopg"):
        return _format_server_error(name, getattr(error, "sqlstate", None), " ".join(str(error).split()))
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    detail = " ".join(str(error).split())
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{name} is locked by another program that writes to it; wait until that has finished and try again"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT):
        return (
            f"{name} is damaged ({detail}); put back a copy of it, or move it away and make a new library with "
            f"`trapline library init --db {name}`"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return f"{name} cannot be written or opened ({detail}); check the rights on the file and on its folder"
    if code == sqlite3.SQLITE_FULL:
        return f"{name} cannot grow, because no space is left on the device"
    return f"{name} cannot be used: {detail}"


def _format_server_error(name: str, state: str | None, detail: str) -> str:
    """``state``: as the SQL standard and PostgreSQL number them; None if there was no server to say one."""
    if state == "55P03":
        return f"{name} is locked by another program that writes to it; wait until that has finished and try again"
    if state is None or state[:2] in ("08", "28", "3D", "57"):
        return f"{name} cannot be reached: {detail}; is the server running, and are the names and the password right?"
    if state in ("25006", "42501"):
        return f"{name} cannot be written or opened ({detail}); check the rights of the user"
    if state[:2] == "53":
        return f"{name} cannot grow or be opened: the server has too little of something ({detail})"
    return f"{name} cannot be used: {detail}"


def _reading(path: Path) -> str:
    """Returns how to open a file for reading so that nothing new stays beside it.

    A reader of a library needs the right to write: it makes the log, takes back the unfinished change of a killed
    writer, and clears both away. A foreign database is left as it lies. Without the right to write nothing can be
    made, so a file without a log is read as it lies and watched.
    """
    if can_write(path) and _is_library_as_it_lies(path):
        return "mode=rw"
    real = os.path.realpath(path)
    return "mode=ro" if any(Path(f"{real}{suffix}").exists() for suffix in COMPANIONS) else _UNWATCHED


def _is_library_as_it_lies(path: Path) -> bool:
    """Whether a file says that it is a trap library, read without its journal."""
    address = f"{path.absolute().as_uri()}?{_UNWATCHED}"
    engine = create_engine("sqlite+pysqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)
    with suppress(DBAPIError), engine.connect() as connection:
        return (
            has_own_tables(connection)
            and connection.scalar(select(MetaRow.value).where(MetaRow.key == "format")) == FORMAT
        )
    return False


def _watch(engine: Engine, path: Path) -> None:
    """Look after the connections that SQLite lets see one state of the file for ever: one that is out of date is
    replaced before it is used again, so that what another account writes is seen.
    """

    def opened(_: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        if _reading(path) == _UNWATCHED:
            record.info[_WATCHED] = path, _state_of(path)

    def taken(_: sqlite3.Connection, record: ConnectionPoolEntry, __: object) -> None:
        if _is_stale(record.info):
            raise DisconnectionError  # which has the pool make a new one

    event.listen(engine, "connect", opened)
    event.listen(engine, "checkout", taken)


def _is_stale(info: Mapping[Any, Any]) -> bool:
    if _WATCHED not in info:
        return False
    path, state = info[_WATCHED]
    return bool(_state_of(path) != state)


def _state_of(path: Path) -> tuple[int, ...] | None:
    """What becomes another as soon as somebody writes; None while there is a log, which holds what was written."""
    if Path(f"{os.path.realpath(path)}-wal").exists():
        return None
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    return None


def can_write(path: Path) -> bool:
    """Whether an existing SQLite file can be written: its folder too, because the journal lies there."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _set_all(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ROW)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may be from anybody
    # SQLite's own knows the letters of ASCII only, and names have others.
    connection.create_function("lower", 1, _lower, deterministic=True)
    connection.execute(f"PRAGMA cache_size = -{CACHE_BYTES >> 10}")
    # Beyond it a cache puts a page in the place of another one. The limit is the process's own.
    connection.execute(f"PRAGMA soft_heap_limit = {CACHES_BYTES}")


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _set_query_only(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA query_only = ON")


def _set_writing(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")


def _begin(connection: Connection) -> None:
    # IMMEDIATE, because a transaction that begins by reading and then finds that another one has written cannot go on.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
