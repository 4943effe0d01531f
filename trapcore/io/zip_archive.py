"""The games in a zip archive as one stream of bytes."""

import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from trapcore.errors import InputError
from trapcore.io.decompress import PIECE_BYTES, ReadLimits, check_size

FIRST_BYTES = b"PK\x03\x04"
"""A zip archive begins with them."""


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
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
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
            last = b"\n"
            with opened.open(member) as content:
                while data := content.read(PIECE_BYTES):
                    total += len(data)
                    check_size(name, total, packed, limits)
                    last = data[-1:]
                    yield data
            if last != b"\n":
                yield b"\n"  # two games must not share a line
