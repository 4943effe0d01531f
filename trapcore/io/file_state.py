"""State of an input file: which file it is, its size and when it was changed, so that a change is noticed."""

import os
import stat
from dataclasses import dataclass
from io import IOBase
from pathlib import Path
from typing import BinaryIO, Self

from trapcore.errors import InputError


@dataclass(frozen=True, slots=True)
class FileState:
    """Which file an input is, and what it was like when it was opened."""

    device: int
    inode: int
    size: int
    """Bytes."""
    changed: int
    """When its content was changed, nanoseconds since 1970."""

    @classmethod
    def of(cls, file: BinaryIO | IOBase) -> Self | None:
        """The state of an open file; None for a pipe, and for what is no file of the operating system."""
        try:
            status = os.fstat(file.fileno())
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def check(self, file: BinaryIO | IOBase, path: Path | str) -> None:
        """Raise `InputError` unless the open file is what it was, and ``path`` still leads to it."""
        try:
            there: os.stat_result | None = Path(path).stat()
        except OSError:
            there = None
        if self.of(file) != self:
            changed = "changed"
        elif there is None:
            changed = "deleted or renamed"
        elif (there.st_dev, there.st_ino) != (self.device, self.inode):
            changed = "replaced"
        else:
            return
        raise InputError(f"{path}: was {changed} while it was read; what was read of it counts: run the command again")
