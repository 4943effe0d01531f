"""What a request says twice, or cuts into very small pieces, is refused, and the connection is closed."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.web_server import Served, make_library, served
from web.http_server import LEAST_CHUNK_BYTES, MOST_CHUNKS

GAME = b"1. e4 e5 *\n\n"
HEAD = b"POST /api/v1/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-chess-pgn\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"
NEXT = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("strict")
    make_library(folder / "library.sqlite")
    with served(folder / "library.sqlite", folder) as running:
        yield running


def statuses(server: Served, request: bytes) -> list[int]:
    """Status of each answer that comes before the connection is closed."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        try:
            connection.sendall(request)
            while data := connection.recv(1 << 16):
                received += data
        except ConnectionError:
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", received)]


def chunks(piece: bytes, count: int, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(piece), extension, piece) * count + b"0\r\n\r\n"


@pytest.mark.parametrize("length", [b"0", b"5", b"1000"])
def test_a_body_with_two_lengths_hides_no_second_request(server: Served, length: bytes) -> None:
    request = CHUNKED + b"Content-Length: " + length + b"\r\n\r\n" + chunks(GAME, 1) + NEXT
    assert statuses(server, request) == [400]


@pytest.mark.parametrize("extension", [b"", b";a=b", b";" + b"x" * 1000])
def test_a_body_in_very_many_very_small_chunks_is_given_up(server: Served, extension: bytes) -> None:
    assert statuses(server, CHUNKED + b"\r\n" + chunks(b"\n", 20 * MOST_CHUNKS, extension)) in ([400], [])
    assert statuses(server, NEXT) == [200]


def test_small_chunks_are_read_while_they_are_few_or_not_so_small(server: Served) -> None:
    few = CHUNKED + b"\r\n" + chunks(b"\n", MOST_CHUNKS - 20).removesuffix(b"0\r\n\r\n") + chunks(GAME, 1)
    assert statuses(server, few + NEXT) == [200, 200]
    piece = GAME.rjust(LEAST_CHUNK_BYTES)
    assert statuses(server, CHUNKED + b"\r\n" + chunks(piece, 2 * MOST_CHUNKS) + NEXT) == [200, 200]


def test_a_wrong_chunk_after_the_answer_leaves_nothing_in_the_log(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    request = HEAD.replace(b"localhost", b"evil.example") + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        answer = connection.recv(1 << 16)
        assert b"HTTP/1.1 421" in answer or not answer
        try:
            connection.sendall(b"defgh\r\nno number\r\n")
            while connection.recv(1 << 16):
                pass
        except ConnectionError:
            pass
    assert statuses(server, NEXT) == [200]
    assert not [record for record in caplog.records if record.exc_info]


def test_an_upgrade_is_answered_as_if_it_were_none(server: Served) -> None:
    upgrade = NEXT.replace(b"Connection: close", b"Connection: Upgrade, close\r\nUpgrade: websocket")
    assert statuses(server, upgrade) == [200]


def test_health_answers_while_others_hold_all_connections(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.http_server.MOST_CONNECTIONS", 20)
    page = b"GET /about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert statuses(server, page) == [200]
    slow = [
        b"",  # says nothing
        b"GET /about HTTP/1.1\r\nHost: localhost\r\nX: ",  # half a head
        CHUNKED + b"\r\n5\r\n1. e4",  # half a body
        page.replace(b"close", b"keep-alive") * 40,  # pages that nobody reads
    ]
    with ExitStack() as stack:
        for number in range(40):
            held = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            held.sendall(slow[number % len(slow)])
        for _ in range(5):
            assert statuses(server, page) == [503]
            assert statuses(server, NEXT) == [200]
