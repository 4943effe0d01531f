"""Check of the outputs of a run: none may be a file that the run reads or writes otherwise, or a database.

Files are compared by what they are (device and inode), so that neither another name nor a link leads past the check; a
file that is not there yet is compared by its folder and its name.
"""

import os
import sqlite3
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from trapcore.errors import OutputError, UsageError
from trapcore.io.work_folder import is_work_folder

COMPANIONS = ("-wal", "-shm", "-journal")
"""Added to the name of a SQLite file: what lies beside it while it is open."""

_DATABASE_HEAD = b"SQLite format 3\0"
_COMPANION_HEADS = (
    b"\x37\x7f\x06\x82",  # a log, in either order of bytes
    b"\x37\x7f\x06\x83",
    b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",  # a journal
    (3007000).to_bytes(4, sys.byteorder),  # the memory that shares a log
)

_Identity = tuple[int, int] | tuple[int, int, str]


def check_outputs(
    outputs: Sequence[Path | str], used: Iterable[tuple[Path | str, str]] = (), *, may_be_database: bool = False
) -> None:
    """Raise `UsageError` if an output is a file of ``used``, lies in a folder of it, or is another output.

    ``used`` are the files and folders that the run reads or writes otherwise, each with what it is (``an input``); they
    need not exist. An output that is a database is refused as well, unless it ``may_be_database``: then its writer
    has to look. Raises `OutputError` for an output that cannot be written: a folder, one in a folder that is not there,
    a link to itself, a name that is too long. Nothing is opened that could wait, and nothing is changed.
    """
    taken: dict[_Identity, tuple[Path | str, str]] = {}
    for path, what in used:
        try:
            taken.setdefault(_identity(path), (path, what))
        except OSError:
            continue  # the reader of the file will say so
    written: dict[_Identity, Path | str] = {}
    for output in outputs:
        try:
            identity, parents = _identity(output), _parents(output)
            if (status := status_of(output)) is not None and stat.S_ISDIR(status.st_mode):
                raise OutputError(f"{output}: this is a directory; name a file")
            if status is None and not Path(os.path.realpath(output)).parent.is_dir():
                raise OutputError(f"{output}: there is no directory {Path(output).parent}; make it first")
        except OSError as error:
            raise OutputError(f"{output}: cannot be written: {error.strerror}") from error
        for place in [identity, *parents]:
            if place in taken:
                path, what = taken[place]
                raise UsageError(f"{path} is {what} and cannot be an output as well; choose another file")
        if identity in written:
            raise UsageError(f"{output} would be written twice; choose different files")
        written[identity] = output
        if any(map(is_work_folder, Path(os.path.realpath(output)).parts)):
            raise UsageError(f"{output} lies in a folder of an unfinished run; choose another file")
        if not may_be_database:
            refuse_database(output)


def refuse_database(path: Path | str) -> None:
    """Raise `UsageError` if there is a database at ``path``, or what belongs to one. Raises `OSError`."""
    real = os.path.realpath(path)
    bases = [real.removesuffix(suffix) for suffix in COMPANIONS if real.endswith(suffix)]
    # The bases first, so that what lies beside a database in use is not opened.
    if any(map(is_database, [*bases, real])) or _head(real).startswith(_COMPANION_HEADS):
        raise UsageError(f"{path} is a database, or belongs to one, and cannot be an output; choose another file")


def is_database(path: Path | str) -> bool:
    """Returns whether there is a SQLite file with content at ``path``, also a damaged one. Raises `OSError`.

    SQLite itself opens the file. If anything else of a process opened and closed a database, the process would lose all
    its locks on it, and the next program to close the database would remove the log with all that it holds.
    """
    status = status_of(path)
    if status is None or not stat.S_ISREG(status.st_mode) or not status.st_size or not os.access(path, os.R_OK):
        return False
    if (head := _head_of_open(status)) is not None:
        return head == _DATABASE_HEAD
    address = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError:
        return _head(path) == _DATABASE_HEAD  # SQLite cannot use it, so nobody holds a lock on it
    return status.st_size > 1  # to SQLite a single byte is an empty file


def _head(path: Path | str) -> bytes:
    """First bytes of a regular file that SQLite does not take for a database; empty for all else. Raises `OSError`."""
    status = status_of(path)
    if status is None or not stat.S_ISREG(status.st_mode) or not os.access(path, os.R_OK):
        return b""
    if (head := _head_of_open(status)) is not None:
        return head
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.pread(descriptor, len(_DATABASE_HEAD), 0)
    finally:
        os.close(descriptor)


def _head_of_open(status: os.stat_result) -> bytes | None:
    """First bytes of a file that this process has open, read there, as to open and close it again would drop its locks;
    None if it has not."""
    for descriptor in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - numbers, not paths
        with suppress(OSError):  # closed since, or not for reading
            if os.path.samestat(os.fstat(descriptor), status):
                return os.pread(descriptor, len(_DATABASE_HEAD), 0)
    return None


def status_of(path: Path | str) -> os.stat_result | None:
    """What is at ``path``, behind links; None if nothing is. Raises `OSError`, also for a link to itself."""
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def is_stream(path: Path | str) -> bool:
    """Whether there is a device or pipe at ``path``, which must be written to and never replaced. Raises `OSError`."""
    status = status_of(path)
    return status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def _identity(path: Path | str) -> _Identity:
    status = status_of(path)
    if status is not None:
        return status.st_dev, status.st_ino
    folder, name = os.path.split(os.path.realpath(path))
    try:
        status = Path(folder).stat()
    except FileNotFoundError:
        return 0, 0, os.path.realpath(path)
    return status.st_dev, status.st_ino, name


def _parents(path: Path | str) -> list[_Identity]:
    """The folders that a path lies in, as far as they are there."""
    there = [status_of(folder) for folder in Path(os.path.realpath(path)).parents]
    return [(status.st_dev, status.st_ino) for status in there if status is not None]
