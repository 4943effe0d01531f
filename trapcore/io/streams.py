"""Byte streams in and out: plain, gzip, bzip2 and Zstandard; read are zip archives and UTF-16 as well.

The compression of a file is recognised by its first bytes, never by its name; that of a new file follows from its
suffix.
Compressed files of several frames (``pzstd``, ``cat a.gz b.gz``, our own resumable output) read as one stream.
"""

import bz2
import errno
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from io import FileIO, RawIOBase
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

import zstandard

from trapcore.errors import InputError, OutputError
from trapcore.io.decompress import (
    FAILURES,
    FEED_BYTES,
    PIECE_BYTES,
    ZIP_FIRST_BYTES,
    Frame,
    ReadLimits,
    check_size,
    new_frame,
    unzipped,
)
from trapcore.io.file_state import FileState
from trapcore.io.output_check import is_database
from trapcore.io.text_encoding import DecodedText

CHUNK_BYTES = 1 << 20
"""Bytes read from the file at a time: 1 MiB."""

ZSTD_LEVEL = 3
"""Above it, Zstandard costs more time than judging the games does."""

READER_SECONDS = 10.0
"""How long a pipe that is named as output may have no reader."""

_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BZIP2 = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def _is_zstd(head: bytes) -> bool:
    skippable = 0x50 <= (head[0] if head else 0) <= 0x5F and head[1:4] == b"\x2a\x4d\x18"
    return head.startswith(_ZSTD) or skippable


def _compression(head: bytes) -> str | None:
    """Name of the format that these first bytes (at least 10, unless the input is shorter) begin, or None for plain."""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(ZIP_FIRST_BYTES):
        return "zip"
    if _is_zstd(head):
        return "Zstandard"
    if head[:3] == b"BZh" and head[4:10] in _BZIP2:
        return "bzip2"
    return None


class ByteReader(AbstractContextManager["ByteReader"]):
    """An iterator over the decompressed chunks of one input; also a context manager.

    A chunk is never empty; the size of chunks is not promised. A damaged or truncated compressed input, or one that
    unpacks to more than `trapcore.io.decompress` allows, yields all that could be unpacked and then raises
    :class:`~trapcore.errors.InputError`, which names the input and the byte. Compressed or not, little of it is in
    memory at a time.
    """

    name: str
    """Path as given, or ``stdin``."""
    raw_size: int | None
    """Bytes of the file as it lies on disk; None for a pipe."""
    raw_offset: int
    """Bytes read of it so far; with ``raw_size`` this is the progress."""
    compression: str | None
    """``gzip``, ``bzip2``, ``Zstandard``, ``zip``, or None for plain."""
    encoding: str
    """``utf-16-le`` or ``utf-16-be`` if the text is written so, and the chunks are UTF-8; otherwise ``bytes``."""

    def __init__(
        self,
        file: BinaryIO | RawIOBase,
        read: Callable[[int], bytes],
        name: str,
        *,
        owned: bool,
        path: Path | str | None = None,
        limits: ReadLimits = ReadLimits(),  # noqa: B008 - it cannot be changed
    ) -> None:
        """Take an open file; ``read`` reads what is there, and ``owned`` says whether :meth:`close` closes it.

        ``limits``: what a compressed one may cost. With its ``path`` it is an error if the file has changed or lost
        its name when its end is reached.
        """
        self.name = name
        self.raw_offset = 0
        self._file = file
        self._read_some = read
        self._limits = limits
        self._owned = owned
        self._path = path
        self.state = FileState.of(file)
        """Which file it is and what it was like when it was opened; None for a pipe."""
        self.raw_size = None if self.state is None else self.state.size
        head = b""
        while len(head) < 10 and (data := self._read()):
            head += data
        self.compression = _compression(head)
        self._text = DecodedText(self._bytes(head, self.compression))
        self.encoding = self._text.encoding
        self._chunks = iter(self._text)

    @property
    def rest(self) -> bytes:
        """At the end of UTF-16: a last byte that is no whole unit."""
        return self._text.rest

    def _bytes(self, head: bytes, compression: str | None) -> Iterator[bytes]:
        if compression is None:
            return self._plain(head)
        if compression == "zip":
            return unzipped(self._file, head, self._read, self.name, self._limits)
        return self._unpacked(head, compression)

    def _read(self) -> bytes:
        # One read of what is there, never a wait for a full chunk: the input may be a pipe that is still being written.
        try:
            data = self._read_some(CHUNK_BYTES)
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read at byte {self.raw_offset}: {error.strerror}") from error
        self.raw_offset += len(data)
        if not data and self._path is not None and self.state is not None:
            self.state.check(self._file, self._path)
        return data

    def _plain(self, head: bytes) -> Iterator[bytes]:
        data = head
        while data:
            yield data
            data = self._read()

    def _unpacked(self, data: bytes, kind: str) -> Iterator[bytes]:
        frame: Frame | None = new_frame(kind, self._limits)
        start = total = 0  # offset in the file of data[0]; bytes unpacked
        while data:
            out: list[bytes] = []
            waiting = at = 0  # bytes in `out`; bytes of `data` that are done
            while at < len(data):
                if frame is None:
                    if kind == "gzip" and not data[at] and not data[at:].strip(b"\0"):
                        break  # some writers pad gzip files with zeros; gzip itself ignores them
                    frame = new_frame(kind, self._limits)
                fed = data[at : at + FEED_BYTES]
                try:
                    piece = frame.decompress(fed)
                    total += len(piece)
                    check_size(self.name, total, start + at + len(fed), self._limits)
                except (InputError, *FAILURES) as error:
                    if waiting:
                        yield b"".join(out)
                    if isinstance(error, InputError):
                        raise
                    raise InputError(
                        f"{self.name}: the {kind} data are damaged near byte {start + at} ({error}); "
                        "the text before that was read"
                    ) from error
                out.append(piece)
                waiting += len(piece)
                at += len(fed)
                if frame.eof:
                    at -= len(frame.unused_data)
                    frame = None
                if waiting >= PIECE_BYTES:
                    yield b"".join(out)
                    out, waiting = [], 0
            if waiting:
                yield b"".join(out)
            start += len(data)
            data = self._read()
        if frame is not None:
            raise InputError(
                f"{self.name}: the {kind} data end too early, at byte {start}; the text before that was read: "
                "fetch the file again"
            )

    def __iter__(self) -> Iterator[bytes]:
        """The chunks that are left; a loop that was left can be followed by another one."""
        # No `yield from`: leaving the loop would close what it delegates to, and the rest would be lost.
        for chunk in self._chunks:  # noqa: UP028
            yield chunk

    def __next__(self) -> bytes:
        """The next chunk."""
        return next(self._chunks)

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if self._owned:
            self._file.close()

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def open_bytes(path: Path | str) -> ByteReader:
    """Open a file, or standard input for ``-``, for reading decompressed chunks.

    Raises :class:`~trapcore.errors.InputError` if it does not exist, is a directory or a database, or cannot be read.
    """
    if str(path) == "-":
        # read1 of a buffered stream is one read; its type is not declared on BinaryIO
        return ByteReader(sys.stdin.buffer, getattr(sys.stdin.buffer, "read1"), "stdin", owned=False)  # noqa: B009
    try:
        if is_database(path):
            raise InputError(f"{path}: this is a database and holds no text; name a file of games")
        file = FileIO(path, "r")
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: this is a directory; name the files in it") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        return ByteReader(file, file.read, str(path), owned=True, path=path)
    except BaseException:
        file.close()
        raise


class FrameWriter(AbstractContextManager["FrameWriter"]):
    """Writes bytes to a file, compressed by the file's suffix, in frames that can be read each on their own.

    After :meth:`end_frame` all that was written so far can be read back, and writing can be taken up again at that very
    size of the file (``open_for_write(path, at=...)``). Leaving the ``with`` block normally ends the last frame;
    leaving it by an error does not, so that a broken output is seen to be broken.
    """

    def __init__(self, file: BinaryIO, name: str, new_frame: Callable[[], _Compressor] | None, *, owned: bool) -> None:
        """Take an open binary file and what makes a compressor; None writes plain."""
        self.digest: blake2b | None = None
        """Is given all bytes that go to the file, if it is set."""
        self.name = name
        self._file = file
        self._owned = owned
        self._new_frame = new_frame
        self._frame: _Compressor | None = None
        self.size = file.tell() if owned and file.seekable() else 0
        """Bytes of the file so far."""
        self._closed = False

    def _emit(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except BrokenPipeError:
            raise  # the reader has gone (`| head`): no error to speak of
        except OSError as error:
            raise _write_error(self.name, error) from error
        self.size += len(data)
        if self.digest is not None:
            self.digest.update(data)

    def write(self, data: bytes) -> None:
        """Append bytes; they may stay in memory until :meth:`end_frame`."""
        if not data:
            return
        if self._new_frame is None:
            self._emit(data)
            return
        if self._frame is None:
            self._frame = self._new_frame()
        self._emit(self._frame.compress(data))

    def end_frame(self) -> int:
        """End the frame, hand everything to the operating system, and return the size of the file in bytes.

        Without a frame begun, nothing is written but what waits in the buffer. On a plain file this is a flush.
        """
        if self._frame is not None:
            self._emit(self._frame.flush())
            self._frame = None
        try:
            self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _write_error(self.name, error) from error
        return self.size

    def close(self) -> None:
        """End the frame and close the file (standard output is only flushed). A second call does nothing."""
        if self._closed:
            return
        try:
            if self._new_frame is not None and self._frame is None and self.size == 0:
                self._frame = self._new_frame()  # an empty .gz is one empty member, not zero bytes
            self.end_frame()
            if self._owned:
                self._file.close()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _write_error(self.name, error) from error
        finally:
            self._abandon()

    def _abandon(self) -> None:
        self._closed = True
        if self._owned:
            with suppress(OSError):  # the error that led here is the one to be raised
                self._file.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close; after an error, without ending the frame."""
        if kind is None:
            self.close()
        elif not self._closed:
            self._abandon()


def _write_error(name: str, error: OSError) -> OutputError:
    if error.errno == errno.ENOSPC:
        return OutputError(f"{name}: no space is left on the device; free some and run the command again")
    return OutputError(f"{name}: cannot be written: {error.strerror}")


_COMPRESSORS: dict[str, Callable[[], _Compressor]] = {
    # wbits=31 writes a gzip header without a time, so that equal input gives equal files.
    ".gz": lambda: zlib.compressobj(6, zlib.DEFLATED, 31),
    ".bz2": lambda: bz2.BZ2Compressor(9),
    ".zst": lambda: zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True).compressobj(),
}


def open_for_write(path: Path | str, *, at: int | None = None, compress_as: str | None = None) -> FrameWriter:
    """Open a file for writing, compressed if it ends in ``.gz``, ``.bz2`` or ``.zst``; ``-`` is standard output, plain.

    ``at`` takes up an interrupted output: the file must exist and be none behind a link, everything from that byte on
    is cut off, and writing goes on there; it must be a size that :meth:`FrameWriter.end_frame` returned. Without it, an
    existing file is emptied. ``compress_as`` is a suffix to go by when the path is a temporary name, e.g. ``.zst``;
    ``""`` is plain. A pipe must be open for reading, or be opened within `READER_SECONDS`.

    Raises :class:`~trapcore.errors.OutputError` if the file cannot be opened, or is shorter than ``at``.
    """
    if str(path) == "-":
        return FrameWriter(sys.stdout.buffer, "stdout", None, owned=False)
    suffix = Path(path).suffix if compress_as is None else compress_as
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if at is None else os.O_RDWR | os.O_NOFOLLOW
        file: BinaryIO = os.fdopen(_open(path, flags), "wb" if at is None else "r+b")
        if at is not None:
            if file.seek(0, os.SEEK_END) < at:
                file.close()
                raise OutputError(f"{path}: cannot be continued at byte {at}, because it is shorter than that")
            file.seek(at)
            file.truncate()
    except OSError as error:
        raise _write_error(str(path), error) from error
    return FrameWriter(file, str(path), _COMPRESSORS.get(suffix.lower()), owned=True)


def _open(path: Path | str, flags: int) -> int:
    """Open without waiting for ever at a pipe that nobody reads."""
    until = time.monotonic() + READER_SECONDS
    while True:
        try:
            descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > until:
                raise OutputError(f"{path}: nobody reads from this pipe; start its reader first") from error
            time.sleep(0.05)
            continue
        os.set_blocking(descriptor, True)
        return descriptor
