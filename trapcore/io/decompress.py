"""Decompression in bounded memory: gzip, bzip2, Zstandard and zip, a piece at a time, with limits on what comes out."""

import bz2
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Protocol

import zstandard

from trapcore.errors import InputError

PIECE_BYTES = 1 << 18
"""Least that is handed on at a time while there is more: 256 KiB."""

RATIO = 250
"""Most unpacked bytes for each packed one; games have four to seven, and the same game again and again about 200."""

UNCHECKED_BYTES = 1 << 25
"""Bytes that may come out before the ratio is checked: 32 MiB."""

ZIP_FIRST_BYTES = b"PK\x03\x04"
"""A zip archive begins with them."""

_ENCRYPTED = 0x1  # a flag of a file in an archive

_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, NotImplementedError, ValueError),
)
"""What reading a zip archive raises if it is damaged or packed in an unknown way; bzip2 raises `OSError`."""

FEED_BYTES = 512
"""Packed bytes that a frame is fed at a time, so that little of a bomb lies in memory: Zstandard makes 16 MiB of them
at most, bzip2 10 MiB, gzip half a MiB."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a compressed input may cost, beside `RATIO`, which holds for all."""

    unpacked: int | None = None
    """Most bytes that it may unpack to; None for any number."""
    window: int = 1 << 27
    """Largest window of Zstandard in bytes, which has to lie in memory; 128 MiB is also what ``zstd`` itself takes."""


class Frame(Protocol):
    """One frame of a compressed input; more may follow."""

    @property
    def eof(self) -> bool:
        """Whether its end was reached."""

    @property
    def unused_data(self) -> bytes:
        """What was fed beyond its end."""

    def decompress(self, data: bytes, /) -> bytes:
        """What ``data`` unpacks to; may be empty."""


def new_frame(kind: str, limits: ReadLimits) -> Frame:
    """A frame of ``kind``: gzip, bzip2 or Zstandard."""
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    return zstandard.ZstdDecompressor(max_window_size=limits.window).decompressobj()


FAILURES = (zlib.error, OSError, EOFError, ValueError, zstandard.ZstdError)
"""What damaged data raise."""


def check_size(name: str, unpacked: int, packed: int, limits: ReadLimits) -> None:
    """Raise `InputError` if an input unpacked to more bytes than it may, given how many of it were read."""
    if limits.unpacked is not None and unpacked > limits.unpacked:
        raise InputError(f"{name}: it is more than {limits.unpacked >> 20} MiB unpacked; send it in pieces")
    if unpacked > UNCHECKED_BYTES and unpacked > RATIO * packed:
        raise InputError(
            f"{name}: it unpacks to more than {RATIO} times its size near byte {packed}, which games do not; the text "
            "before that was read: unpack it first if it is meant"
        )


def unzipped(file: Any, head: bytes, read: Callable[[], bytes], name: str, limits: ReadLimits) -> Iterator[bytes]:
    """The files in an archive one after the other: those called ``.pgn``, or all if none is.

    ``file`` is the open archive, and is used if it can be read anywhere; otherwise ``head`` and what ``read`` gives are
    stored in a file without a name first. Raises `InputError` for an archive that is damaged, encrypted or unpacks to
    more than ``limits`` allow, after what could be read.
    """
    with tempfile.TemporaryFile() as stored:
        archive: IO[bytes] = file if file.seekable() else stored
        if archive is stored:
            data = head
            while data:
                stored.write(data)
                data = read()
        try:
            yield from _members(archive, name, limits)
        except _DAMAGED as error:
            raise InputError(
                f"{name}: the zip archive cannot be read to its end ({error}); unpack it and name the files in it"
            ) from error


def _members(archive: IO[bytes], name: str, limits: ReadLimits) -> Iterator[bytes]:
    total = 0
    with zipfile.ZipFile(archive) as opened:
        members = [member for member in opened.infolist() if not member.is_dir()]
        games = [member for member in members if member.filename.lower().endswith(".pgn")]
        packed = 0
        for member in games or members:
            packed += member.compress_size
            if member.flag_bits & _ENCRYPTED:
                raise zipfile.BadZipFile(f"{member.filename} is encrypted")
            last = b"\n"
            with opened.open(member) as content:
                while data := content.read(PIECE_BYTES):
                    total += len(data)
                    check_size(name, total, packed, limits)
                    last = data[-1:]
                    yield data
            if last != b"\n":
                yield b"\n"  # two games must not share a line
