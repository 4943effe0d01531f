"""Files that settings name: only regular ones are read, because a pipe could keep a program waiting for ever."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """A regular file, opened for reading. Raises `OSError`, also for a pipe, a socket, a device or a folder."""
    # Without O_NONBLOCK a pipe would be waited for in `open` already.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise
