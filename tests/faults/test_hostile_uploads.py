"""Uploads and files that cost more than they show: bombs of every kind, slow senders, and what is left of them."""

import bz2
import gzip
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.web_server import GAMES, Server, make_library, served, serving
from trapcore.errors import InputError
from trapcore.io.decompress import PIECE_BYTES, RATIO, UNCHECKED_BYTES, ReadLimits
from trapcore.io.streams import ByteReader, open_bytes

JOBS = "/api/v1/annotations"
PGN = {"Content-Type": "application/x-chess-pgn"}
GIB = 1 << 30


def _frames(compress: Callable[[bytes], bytes]) -> Callable[[int], bytes]:
    """So many bytes, packed in frames of a megabyte, which is quickly done."""
    return lambda size: compress(bytes(1 << 20)) * (size >> 20)


def _zstandard(size: int) -> bytes:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    block = bytes(1 << 20)
    return b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()


def _long_window(size: int) -> bytes:
    parameters = zstandard.ZstdCompressionParameters(window_log=31, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(b"1. e4 *\n") + packer.flush()


BOMBS: dict[str, Callable[[int], bytes]] = {
    "gzip": _frames(gzip.compress),
    "bzip2": _frames(bz2.compress),
    "Zstandard": _zstandard,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_file_that_unpacks_to_too_much_is_read_in_pieces_and_given_up(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(BOMBS[kind](1 << 27))
    chunks: list[int] = []
    with open_bytes(path) as reader, pytest.raises(InputError, match=f"more than {RATIO} times its size"):
        chunks.extend(map(len, reader))
    read, largest = sum(chunks), max(chunks)
    assert UNCHECKED_BYTES - (1 << 25) <= read <= UNCHECKED_BYTES + (1 << 24)
    assert largest <= (1 << 24) + PIECE_BYTES


@pytest.mark.parametrize("kind", BOMBS)
def test_an_input_may_have_a_limit_of_its_own(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(BOMBS[kind](1 << 22))
    with path.open("rb") as file, pytest.raises(InputError, match="more than 1 MiB unpacked"):
        list(ByteReader(file, file.read, "it", owned=False, limits=ReadLimits(unpacked=1 << 20)))


def test_a_window_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(_long_window(1))
    # The first bytes are unpacked when it is opened, to see how its text is written.
    with pytest.raises(InputError, match="Frame requires too much memory"), open_bytes(path) as reader:
        list(reader)


SHORT_FRAMES = {
    "gzip": gzip.compress(b"") * 60_000 + gzip.compress(b"1. e4 *\n"),
    "bzip2": bz2.compress(b"") * 60_000 + bz2.compress(b"1. e4 *\n"),
    "Zstandard": b"\x50\x2a\x4d\x18\0\0\0\0" * 60_000 + zstandard.compress(b"1. e4 *\n"),  # frames to be skipped
}


@pytest.mark.parametrize("kind", SHORT_FRAMES)
def test_very_many_empty_frames_take_no_longer_than_they_are_long(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(SHORT_FRAMES[kind])
    began = time.process_time()
    with open_bytes(path) as reader:
        assert b"".join(reader) == b"1. e4 *\n"
    assert time.process_time() - began < 12  # many times what it takes


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "library.sqlite"
    make_library(path)
    return path


@pytest.fixture
def server(library: Path, tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "work").mkdir()
    with serving(library, tmp_path, web_folder=tmp_path / "work") as running:
        yield running


def peak_megabytes(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


@pytest.mark.fault
def test_twenty_hostile_uploads_leave_the_server_small(server: Server) -> None:
    bodies = [make(GIB) for make in BOMBS.values()]
    bodies += [_long_window(1), gzip.compress(b"{" + b"x" * (60 << 20), 1), b"x" * (60 << 20)]

    def send(number: int) -> int:
        with server.client() as client:
            while True:
                answer = client.post(JOBS, content=bodies[number % len(bodies)], headers=PGN)
                # One address may have half of the places.
                if answer.status_code not in (429, 503):
                    return answer.status_code
                time.sleep(0.2)

    with ThreadPoolExecutor(20) as pool:
        begun = list(pool.map(send, range(20)))
    assert set(begun) == {202}
    with server.client() as client:
        until(lambda: "trapline_annotations_running 0.0" in client.get("/metrics").text, 2 * PATIENCE_SECONDS)
    print(f"peak {peak_megabytes(server):.0f} MB")
    assert peak_megabytes(server) < 600


def test_slow_senders_hold_no_place(library: Path, tmp_path: Path) -> None:
    with served(library, tmp_path, web_annotations=1) as server, server.client() as client:
        slow = []
        for _ in range(4):
            line = socket.create_connection(("127.0.0.1", server.port), 20)
            line.sendall(f"POST {JOBS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n".encode())
            line.sendall(b"Content-Length: 1000000\r\n\r\n1. e4")
            slow.append(line)
        time.sleep(0.3)
        assert client.post(JOBS, content=GAMES.read_bytes(), headers=PGN).status_code == 202
        for line in slow:
            line.close()
