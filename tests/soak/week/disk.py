"""A disk that can be filled and freed: a small one of its own, or else a limit for the bot's files."""

import errno
import os
import resource
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

SIZE = 256 << 20
"""Bytes: a week's library and archive with room to spare."""

STEP = 1 << 20


class Disk:
    """Folder on a file system in memory if this process may mount one; otherwise an ordinary folder.

    In an ordinary folder a full disk is a limit on the size of the bot's files: no file can get any longer.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_mounted = False

    @property
    def kind(self) -> str:
        """What stands for the disk, for the report."""
        return f"tmpfs of {SIZE >> 20} MiB, filled" if self.is_mounted else "RLIMIT_FSIZE of the bot, set to 0"

    def __enter__(self) -> Self:
        self.folder.mkdir()
        if os.geteuid() == 0:
            options = f"size={SIZE},mode=700"
            with suppress(OSError):
                tried = subprocess.run(
                    ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.folder)], capture_output=True, check=False
                )
                self.is_mounted = tried.returncode == 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True, check=False)

    def fill(self, process: int) -> None:
        """Leave no byte, for the bot with this process id."""
        if not self.is_mounted:
            _limit(process, 0)
            return
        with (self.folder / "filler").open("wb", buffering=0) as filler:
            size = STEP
            while size:
                try:
                    filler.write(bytes(size))
                except OSError as failed:
                    if failed.errno != errno.ENOSPC:
                        raise
                    size //= 2

    def free(self, process: int) -> None:
        """Give all of it back."""
        if self.is_mounted:
            (self.folder / "filler").unlink()
        else:
            with suppress(ProcessLookupError):
                _limit(process, resource.RLIM_INFINITY)


def _limit(process: int, size: int) -> None:
    _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, hard))
