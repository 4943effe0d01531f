"""Outputs that appear whole or not at all: a part in a work folder beside the place, moved there when finished."""

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Self

from trapcore.errors import OutputError, UsageError
from trapcore.io.atomic_write import put_in_place
from trapcore.io.streams import FrameWriter, open_for_write

DIGEST_BYTES = 32
"""Length of the digests by which parts and inputs are compared: BLAKE2b-256."""

_READ_BYTES = 1 << 20


class Output:
    """Where bytes go: a part in a work folder until :func:`finish` gives it its name, or a stream.

    A stream is standard output, or a device or pipe named as output: bytes go out at once and cannot be taken back.
    Raises ``OutputError`` where it cannot be written.
    """

    def __init__(self, writer: FrameWriter, part: Path | None = None) -> None:
        """Take an open writer, and where the part lies that it writes; None for a stream."""
        self._writer = writer
        self._part = part

    @classmethod
    def stream(cls, path: Path | None) -> Self:
        """A device or pipe; ``None`` is standard output."""
        return cls(open_for_write("-" if path is None else path))

    @classmethod
    def partial(cls, part: Path, path: Path, *, at: int | None = None, digest: str = "") -> Self:
        """Write ``path`` into the empty file ``part``, or continue that at the length ``at`` and drop what lies behind.

        ``digest`` is that of its bytes before ``at``. Raises ``UsageError`` if it is another.
        """
        before = blake2b(digest_size=DIGEST_BYTES)
        if at is not None:
            _check(part, at, before, digest)
        writer = open_for_write(part, at=at or 0, compress_as=path.suffix)
        writer.digest = before
        return cls(writer, part)

    def write(self, data: bytes) -> None:
        """Append bytes; compressed by the suffix of the final name."""
        self._writer.write(data)

    def end_frame(self) -> tuple[int, str]:
        """Make all bytes so far readable on their own; length of the file in bytes, and its digest.

        What has left in a stream cannot be continued, so frames are of no use there.
        """
        if self._part is not None:
            self._writer.end_frame()
        return self._state()

    def sync(self) -> None:
        """Have what :meth:`end_frame` handed over on the disk before returning."""
        if self._part is None:
            return
        try:
            with self._part.open("r+b") as file:
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self._part}: cannot be written: {error.strerror}") from error

    def close(self) -> tuple[int, str]:
        """Write the rest, as :meth:`end_frame`; a file has reached the disk then, but does not have its name yet."""
        self._writer.close()
        self.sync()
        return self._state()

    def abandon(self) -> None:
        """Close without finishing; what was written stays where it is."""
        with suppress(OutputError, OSError):
            self._writer.__exit__(OutputError, None, None)

    def _state(self) -> tuple[int, str]:
        digest = self._writer.digest
        return (0, "") if digest is None else (self._writer.size, digest.hexdigest())


def finish(part: Path, path: Path, *, length: int, digest: str, default_mode: int) -> None:
    """Give a finished part its name in one step; nothing if it has it already. A file that it replaces leaves its mode.

    Raises ``OutputError``, and ``UsageError`` if neither is what the journal says of it.
    """
    try:
        there = os.path.lexists(part)
        _check(part if there else path, length, blake2b(digest_size=DIGEST_BYTES), digest, whole=True)
        if there:
            put_in_place(part, path, default_mode=default_mode)
    except OSError as error:
        raise OutputError(f"{path}: cannot be put in its place: {error.strerror}") from error


def _check(path: Path, length: int, digest: blake2b, wanted: str, *, whole: bool = False) -> None:
    """Raise ``UsageError`` unless the first ``length`` bytes (``whole``: and no more) have the digest."""
    over = "run without --resume to start over"
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            left = length
            while left and (data := file.read(min(left, _READ_BYTES))):
                digest.update(data)
                left -= len(data)
            more = bool(file.read(1))
    except FileNotFoundError:
        raise UsageError(f"{path} has gone since the run was interrupted; {over}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be continued: {error.strerror}; {over}") from error
    if left:
        raise UsageError(f"{path} is shorter than it was when the run was interrupted; {over}")
    if digest.hexdigest() != wanted or (whole and more):
        raise UsageError(f"{path} was changed since the run was interrupted; {over}")
