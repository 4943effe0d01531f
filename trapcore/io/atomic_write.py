"""Files that are written in a work folder beside their place and then put there: whole, or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trapcore.io.output_check import refuse_database, status_of
from trapcore.io.work_folder import WorkFolder


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path to write at; what is there gets the name ``path``, in the place of what was there, when the block ends.

    A block that raises leaves what was there. Through a link the file behind it is replaced. A file that is replaced
    leaves its mode and, where that is allowed, its owner to the new one. Raises `OutputError` if another run or thread
    is writing the same file, `UsageError` if it is a database, and `OSError` if it cannot be written.
    """
    target = final_path(path)
    refuse_database(target)
    with work_folder(target) as folder:
        building = folder.begin()
        yield building
        put_in_place(building, target, default_mode=folder.default_mode)


@contextmanager
def work_folder(target: Path) -> Iterator[WorkFolder]:
    """A work folder beside a file that is locked during the block, and removed after it. Raises as `replacing`."""
    folder = WorkFolder.make(target.parent, [target.name])
    try:
        yield folder
    finally:
        folder.remove()


def final_path(path: Path) -> Path:
    """Where a file has to be written so that ``path`` leads to it: the path without its links.

    Raises `OSError` for a link to itself, a name that is too long, and for what is no file and can not be replaced.
    """
    status = status_of(path)
    real = Path(os.path.realpath(path))
    if status is not None and not stat.S_ISREG(status.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(number, os.strerror(number) if number == errno.EISDIR else "it is no regular file", str(path))
    return real


def put_in_place(written: Path, target: Path, *, default_mode: int) -> None:
    """Give a written file the name ``target`` in one step, with mode and owner of what was there. Raises `OSError`.

    ``default_mode`` is that of a file where none was.
    """
    before = status_of(target)
    if before is None:
        written.chmod(default_mode)
    else:
        give_mode_and_owner(written, before)
    written.replace(target)


def give_mode_and_owner(path: Path, like: os.stat_result) -> None:
    """Permissions of another file and, where that is allowed, its owner and group. Raises `OSError`.

    What a group was allowed is allowed to no other group.
    """
    mode = stat.S_IMODE(like.st_mode) & 0o777
    with suppress(PermissionError):
        os.chown(path, like.st_uid, like.st_gid)
    if path.stat().st_gid != like.st_gid:
        with suppress(PermissionError):
            os.chown(path, -1, like.st_gid)
        if path.stat().st_gid != like.st_gid:
            mode &= ~0o070
    path.chmod(mode)
