"""Streams in and out: every format, several frames, damage, and output that is taken up again."""

import bz2
import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from trapcore.errors import InputError, OutputError
from trapcore.io.streams import CHUNK_BYTES, FrameWriter, open_bytes, open_for_write

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".pgn": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
PACKED = [suffix for suffix in PACK if suffix != ".pgn"]


def read(path: Path) -> bytes:
    with open_bytes(path) as reader:
        return b"".join(reader)


def read_until_error(path: Path) -> tuple[bytes, str]:
    got: list[bytes] = []
    with open_bytes(path) as reader, pytest.raises(InputError) as caught:
        got.extend(reader)  # what came before the error stays in the list
    return b"".join(got), str(caught.value)


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("size", [0, 1, 9, 10, 4095, 4096, 4097, 3 * CHUNK_BYTES + 7])
def test_reads_each_format_whatever_the_name(tmp_path: Path, suffix: str, size: int) -> None:
    data = (b"1. e4 " + os.urandom(size))[:size]  # bytes that no format and no encoding begins with
    path = tmp_path / "games.txt"
    path.write_bytes(PACK[suffix](data))
    assert read(path) == data


@pytest.mark.parametrize("suffix", PACKED)
def test_several_frames_read_as_one_stream(tmp_path: Path, suffix: str) -> None:
    parts = [os.urandom(700), b"", b"x" * 300_000, os.urandom(5000)]
    path = tmp_path / f"many{suffix}"
    path.write_bytes(b"".join(PACK[suffix](part) for part in parts))
    assert read(path) == b"".join(parts)


def test_zstandard_skippable_frames_are_skipped(tmp_path: Path) -> None:
    skippable = b"\x52\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"meta"
    path = tmp_path / "pzstd.zst"
    path.write_bytes(skippable + PACK[".zst"](b"one ") + skippable + PACK[".zst"](b"two"))
    assert read(path) == b"one two"


@pytest.mark.parametrize("suffix", PACKED)
def test_a_truncated_file_yields_its_beginning_then_says_so(tmp_path: Path, suffix: str) -> None:
    data = os.urandom(3_000_000)
    packed = PACK[suffix](data)
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    got, message = read_until_error(path)
    assert data.startswith(got)
    assert len(got) > 900_000  # bzip2 packs blocks of 900 kB; only whole blocks can be unpacked
    assert str(path) in message
    assert f"at byte {len(packed) * 2 // 3}" in message


@pytest.mark.parametrize("suffix", PACKED)
def test_garbage_after_a_frame_is_an_error(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tail{suffix}"
    packed = PACK[suffix](b"the games")
    path.write_bytes(packed + b"this is no frame")
    got, message = read_until_error(path)
    assert got == b"the games"
    assert f"near byte {len(packed)}" in message


@pytest.mark.parametrize("suffix", PACKED)
def test_damage_inside_is_an_error(tmp_path: Path, suffix: str) -> None:
    data = os.urandom(2_000_000)
    packed = bytearray(PACK[suffix](data))
    packed[1_900_000] ^= 0xFF
    path = tmp_path / "broken.pgn"  # the name says nothing about the content
    path.write_bytes(packed)
    got, message = read_until_error(path)
    assert got[:900_000] == data[:900_000]
    assert "damaged near byte" in message


@pytest.mark.parametrize(
    ("name", "says"), [("missing.pgn", "no such file"), (".", "directory"), ("loop.pgn", "cannot be opened")]
)
def test_what_cannot_be_opened_is_one_sentence(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "loop.pgn").symlink_to("loop.pgn")
    with pytest.raises(InputError, match=says) as caught:
        open_bytes(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_standard_input_is_read_without_waiting_for_more() -> None:
    program = "from trapcore.io.streams import open_bytes\nfor c in open_bytes('-'): print(len(c), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    watchdog = threading.Timer(30, process.kill)
    watchdog.start()
    process.stdin.write(b"1. e4 e5 2. Nf3 *\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"18\n"  # though the pipe is still open
    process.stdin.close()
    assert process.wait() == 0
    watchdog.cancel()
    process.stdout.close()


@pytest.mark.parametrize("suffix", PACK)
@given(frames=st.lists(st.lists(st.binary(max_size=300), max_size=4), max_size=5))
def test_every_frame_boundary_is_a_point_to_go_on_from(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, frames: list[list[bytes]]
) -> None:
    path = tmp_path_factory.mktemp("w") / f"out{suffix}"
    ends: list[tuple[int, bytes]] = []
    done = b""
    frames = [[b"[Event"], *frames]  # what begins like a compressed file would be read as one
    with open_for_write(path) as writer:
        for frame in frames:
            for piece in frame:
                writer.write(piece)
                done += piece
            size = writer.end_frame()
            ends.append((size, done))
            assert path.stat().st_size == size
            assert read(path) == done  # while the writer is still open
    assert read(path) == done
    for size, before in ends:
        with open_for_write(path) as writer:  # the whole again, then more that a crash leaves behind
            for frame in frames:
                writer.write(b"".join(frame))
                writer.end_frame()
            writer.write(b"lost")
        with open_for_write(path, at=size) as writer:
            writer.write(b"resumed")
        assert read(path) == before + b"resumed"


@pytest.mark.parametrize("suffix", PACK)
def test_other_programs_read_what_is_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    with open_for_write(path) as writer:
        writer.write(b"a")
        writer.end_frame()
        writer.write(b"b")
    raw = path.read_bytes()
    unpacked = {
        ".pgn": lambda: raw,
        ".gz": lambda: gzip.decompress(raw),
        ".bz2": lambda: bz2.decompress(raw),
        ".zst": lambda: zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True).read(),
    }[suffix]()
    assert unpacked == b"ab"


def write_then_fail(writer: FrameWriter) -> None:
    writer.write(os.urandom(5_000_000))
    raise ZeroDivisionError


@pytest.mark.parametrize("suffix", PACKED)
def test_an_error_leaves_the_output_visibly_broken(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"half{suffix}"
    with pytest.raises(ZeroDivisionError), open_for_write(path) as writer:
        write_then_fail(writer)
    read_until_error(path)


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        open_for_write(tmp_path / "no" / "such" / "folder.pgn")
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(OutputError, match="shorter"):
        open_for_write(tmp_path / "short", at=4)
    assert (tmp_path / "short").read_bytes() == b"abc"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said() -> None:
    writer = open_for_write("/dev/full")
    writer.write(b"x")
    with pytest.raises(OutputError, match="no space"):
        writer.close()
