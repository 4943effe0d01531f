"""Work folder: a hidden folder beside an output, in which the output is written until it is whole.

It is made exclusively under a random name, so that no file of anybody is ever in its way. As long as its process lives,
its file ``lock`` is locked (``flock``). The lock ends with the process, however that ends. It names the outputs that
the process writes: a second process that wants to write one of them is refused. What a killed process left is deleted
by the next process that makes or sweeps work folders there, unless it has to be kept for a journal.

Nothing is deleted in a work folder but files of the names that are used here, and none is followed if it is a link.
"""

import errno
import fcntl
import json
import os
import random
import re
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from trapcore.errors import OutputError

CONTENT = "content"
"""Name of the file that a work folder is made for, unless there are several."""

JOURNAL = "journal"
"""Name of a file that says how far an interrupted run came."""

_NAME = re.compile(r"\.trapline-[0-9a-f]{16}")
_LOCK = "lock"
_OURS = re.compile(r"lock|journal|journal\.new|(content|part-\d{1,9})(-wal|-shm|-journal)?")
_MOST_LOCK_BYTES = 64 << 20
_WAITS = (0.02, 0.02, 0.05, 0.05, 0.1, 0.0)  # seconds, each time up to twice that
_IN_USE = (errno.EWOULDBLOCK, errno.EACCES)


class WorkFolder:
    """A work folder that this process has locked."""

    def __init__(self, path: Path, lock: int) -> None:
        """Take a folder whose lock file is open as ``lock`` and locked; see `make` and `adopt`."""
        self.path = path
        self._lock = lock

    @classmethod
    def make(cls, directory: Path, outputs: Sequence[str] = (), *, kept_for: str | None = None) -> Self:
        """Make one in ``directory`` and lock these outputs, which are names of files there.

        ``kept_for`` names a file, by an absolute path or as it lies in the folder, for which the folder is kept after
        its process has gone; without it, it is then deleted. Raises `OutputError` if a living process writes one of the
        outputs, and `OSError`.
        """
        sweep(directory)
        holder: tuple[str, object] = ("", None)
        for wait in _WAITS:
            made = cls._begin(directory, outputs, kept_for)
            try:
                found = _holder(made.path, outputs)
            except BaseException:
                made.remove()
                raise
            if found is None:
                return made
            made.remove()
            holder = found
            # Two that began at the same moment see each other; after waits of unequal length only one does.
            time.sleep(random.uniform(wait, 2 * wait))
        raise _being_written(directory / holder[0], holder[1])

    @classmethod
    def _begin(cls, directory: Path, outputs: Sequence[str], kept_for: str | None) -> Self:
        content = {"outputs": list(outputs), "process": os.getpid(), "kept_for": kept_for}
        while True:
            path = directory / f".trapline-{secrets.token_hex(8)}"
            try:
                path.mkdir()
            except FileExistsError:
                continue
            try:
                lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
            except FileNotFoundError:
                continue  # swept by somebody, because there was no lock yet
            except OSError:
                with suppress(OSError):
                    path.rmdir()
                raise
            try:
                if _locked(lock) and _is_at(lock, path / _LOCK):
                    os.write(lock, json.dumps(content).encode())
                    return cls(path, lock)
            except BaseException:
                os.close(lock)
                _delete(path)
                raise
            os.close(lock)

    @classmethod
    def adopt(cls, path: Path) -> Self | None:
        """Take over a folder that a process left; None if the process lives. Raises `OSError` if there is none."""
        lock = _open_lock(path)
        if _locked(lock) and _is_at(lock, path / _LOCK):
            return cls(path, lock)
        os.close(lock)
        return None

    @classmethod
    def resume(cls, path: Path, *, own: "WorkFolder | None" = None) -> Self:
        """Take over a folder with the outputs that it locked; ``own`` may have locked them as well.

        Raises `OutputError` if one is being written by anybody else, and `OSError`.
        """
        claim = _claim(path)
        outputs = [] if claim is None else claim[0]
        adopted = cls.adopt(path)
        if adopted is None:
            raise _being_written(path.parent / (outputs or [path.name])[0], None if claim is None else claim[1])
        holder = _holder(path, outputs, but=path if own is None else own.path)
        if holder is not None:
            adopted.leave()
            raise _being_written(path.parent / holder[0], holder[1])
        return adopted

    @property
    def default_mode(self) -> int:
        """Permissions that a new file has here, as the umask of the process or the folder have it."""
        return stat.S_IMODE(os.fstat(self._lock).st_mode) & 0o777

    def begin(self, name: str = CONTENT) -> Path:
        """Make an empty file that only this user may read, and return its path. Raises `OSError` if it is there."""
        path = self.path / name
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        return path

    def remove(self) -> None:
        """Delete it with what is in it, and let the outputs go; a second call does nothing."""
        if self._lock >= 0:
            _delete(self.path)
            self.leave()

    def leave(self) -> None:
        """Let the outputs go and leave the folder, so that another process can adopt it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def is_work_folder(path: Path | str) -> bool:
    """Whether a path is named like a work folder; nothing is looked up."""
    return _NAME.fullmatch(Path(path).name) is not None


def work_folders(directory: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    """Work folders of this user in a directory, with the outputs that each locks or locked."""
    for path in _folders(directory):
        claim = _claim(path)
        if claim is not None:
            yield path, claim[0]


def sweep(directory: Path) -> None:
    """Delete the work folders that processes of this user left and that nothing is kept for. Raises nothing."""
    for path in _folders(directory):
        with suppress(OSError):
            _sweep_one(path)


def _sweep_one(path: Path) -> None:
    try:
        left = WorkFolder.adopt(path)
    except FileNotFoundError:
        path.rmdir()  # killed before it had a lock; a folder that holds anything stays
        return
    if left is None:
        return
    claim = _claim(path)
    kept_for = None if claim is None else claim[2]
    if kept_for is not None and os.path.lexists(path / kept_for):
        left.leave()
    else:
        left.remove()


def _folders(directory: Path) -> list[Path]:
    try:
        with os.scandir(directory) as entries:
            named = [entry for entry in entries if is_work_folder(entry.name) and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    found = []
    for entry in named:
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                found.append(Path(entry.path))
    return sorted(found)


def _holder(own: Path, outputs: Sequence[str], but: Path | None = None) -> tuple[str, object] | None:
    """An output that a living process has locked by another folder than these two, and the number of that process."""
    with os.scandir(own.parent) as entries:
        others = [Path(entry.path) for entry in entries if is_work_folder(entry.name) and entry.name != own.name]
        others = [path for path in others if but is None or path.name != but.name]
    for path in others:
        with suppress(OSError):
            claim = _claim(path)
            both = [] if claim is None else [name for name in outputs if name in claim[0]]
            if claim is not None and both and _is_alive(path):
                return both[0], claim[1]
    return None


def _being_written(output: Path, process: object) -> OutputError:
    return OutputError(
        f"{output} is being written by another run (process {process}); wait until it has ended, or choose another "
        "output"
    )


def _is_alive(path: Path) -> bool:
    lock = _open_lock(path)
    try:
        return not _locked(lock)
    finally:
        os.close(lock)


def _claim(path: Path) -> tuple[list[str], object, str | None] | None:
    """Outputs, process and what the folder is kept for; None if the lock says nothing (any more, or yet)."""
    try:
        lock = _open_lock(path)
    except OSError:
        return None
    with os.fdopen(lock, "rb") as file:
        try:
            content = json.loads(file.read(_MOST_LOCK_BYTES))
            outputs, process, kept_for = content["outputs"], content["process"], content["kept_for"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
    if not isinstance(outputs, list) or not isinstance(kept_for, str | None):
        return None
    return [name for name in outputs if isinstance(name, str)], process, kept_for


def _open_lock(path: Path) -> int:
    # Not blocking, in case somebody put a pipe there.
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path / _LOCK, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path / _LOCK, os.O_RDONLY | flags)  # of another user


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _IN_USE:
            return False
        raise
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file still lies at ``path``."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _delete(folder: Path) -> None:
    """The files that are ours, the lock last, and the folder if nothing else is in it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            for name in sorted(os.listdir(descriptor), key=lambda name: name == _LOCK):  # noqa: PTH208
                if _OURS.fullmatch(name):
                    os.unlink(name, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        folder.rmdir()
