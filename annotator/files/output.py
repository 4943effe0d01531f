"""Outputs that appear whole or not at all: a partial file beside the place, moved there when it is finished."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from trapcore.errors import OutputError, UsageError
from trapcore.io.streams import FrameWriter, open_for_write

PARTIAL = ".partial"
"""Added to the name of an output while it is being written."""


class Output(Protocol):
    """Where bytes go."""

    def write(self, data: bytes) -> None:
        """Append bytes."""

    def end_frame(self) -> int:
        """Make all bytes so far readable on their own; returns the length of the file in bytes, 0 if it has none."""

    def sync(self) -> None:
        """Have what :meth:`end_frame` handed over on the disk before returning."""

    def close(self) -> None:
        """Write the rest; a file has reached the disk then, but does not have its name yet."""

    def abandon(self) -> None:
        """Close without finishing; what was written stays where it is."""


class Stream:
    """Standard output, or a device or pipe named as output: bytes go out at once and cannot be taken back."""

    def __init__(self, path: Path | None) -> None:
        """``None`` is standard output."""
        self._writer = open_for_write("-" if path is None else path)

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._writer.write(data)

    def end_frame(self) -> int:
        """Nothing: what has left cannot be continued, so frames are of no use."""
        return 0

    def sync(self) -> None:
        """Nothing: there is no file to sync."""

    def close(self) -> None:
        """Flush."""
        self._writer.close()

    def abandon(self) -> None:
        """Nothing is owed to a stream."""


class PartialFile:
    """A file that is written as ``<name>.partial`` until :func:`move_into_place` gives it its name.

    Raises ``OutputError`` where it cannot be written, and ``UsageError`` if less is there than is to be continued.
    """

    def __init__(self, path: Path, *, at: int | None = None) -> None:
        """Begin ``path`` anew, or continue its partial file at the length ``at`` and drop what lies behind."""
        self.path = path
        self.partial = partial_of(path)
        if at is not None and not (self.partial.exists() and self.partial.stat().st_size >= at):
            raise UsageError(f"{self.partial} has gone or lost its end; run without --resume to start over")
        self._writer: FrameWriter = open_for_write(self.partial, at=at, compress_as=path.suffix)

    def write(self, data: bytes) -> None:
        """Append bytes; compressed by the suffix of the final name."""
        self._writer.write(data)

    def end_frame(self) -> int:
        """End the compressed frame; returns the length of the file in bytes."""
        return self._writer.end_frame()

    def sync(self) -> None:
        """Have what :meth:`end_frame` handed over on the disk before returning."""
        try:
            with self.partial.open("r+b") as file:
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self.partial}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """End the file and have it on the disk; :func:`move_into_place` gives it its name."""
        self._writer.close()
        self.sync()

    def abandon(self) -> None:
        """Close the partial file as it is."""
        with suppress(OutputError, OSError):
            self._writer.__exit__(OutputError, None, None)


def partial_of(path: Path) -> Path:
    """Name of the partial file of an output."""
    return path.with_name(path.name + PARTIAL)


def move_into_place(path: Path) -> None:
    """Give the closed partial file of ``path`` its name in one step; a file that it replaces leaves it its mode."""
    try:
        if path.exists():
            shutil.copymode(path, partial_of(path))
        partial_of(path).replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be put in its place: {error.strerror}") from error


def is_stream(path: Path) -> bool:
    """Whether ``path`` exists and is a device or pipe, which must be written to and never replaced."""
    return path.exists() and not path.is_file()
