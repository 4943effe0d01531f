"""What a request says twice, or cuts into very small pieces, is refused, and the connection is closed."""

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import chess
import pytest

from tests.support.web_server import Served, make_library, served
from trapline.web.server.http_server import LEAST_CHUNK_BYTES, MOST_CHUNKS

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


GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW = {
    "silent": b"",
    "half-a-head": b"GET /about HTTP/1.1\r\nHost: localhost\r\nX: ",
    "half-a-head-of-health": b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ",
    "half-an-upload": CHUNKED + b"\r\n5\r\n1. e4",
    "half-a-body": b"POST /practise HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 500\r\n\r\na=b",
    "pages-not-read": GET % b"/about" * 40,
    "health-not-read": GET % b"/health" * 40,
    "figures-not-read": GET % b"/metrics" * 40,
    "description-not-read": GET % b"/openapi.json" * 40,
    "traps-not-read": GET % b"/api/v1/traps?limit=30" * 40,
    "searches": GET % (b"/api/v1/propose?nodes=1000000&fen=" + quote(chess.STARTING_FEN).encode()) * 2,
}
"""What is sent by clients that are slow, each over a connection that it then holds."""
PAGE = b"GET /about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def hold(stack: ExitStack, server: Served, kinds: list[str], count: int) -> None:
    """Open so many connections, from twenty addresses in turn, and read nothing of what comes."""
    for number in range(count):
        held = stack.enter_context(socket.socket())
        held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        held.bind((f"127.0.0.{2 + number % 20}", 0))
        held.connect(("127.0.0.1", server.port))
        with suppress(ConnectionError):  # ended for one that came later
            held.sendall(SLOW[kinds[number % len(kinds)]])


@pytest.mark.parametrize("kinds", [[kind] for kind in SLOW] + [[*SLOW]], ids="+".join)
def test_others_are_answered_while_twenty_addresses_hold_all_connections(
    server: Served, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trapline.web.server.http_server.MOST_CONNECTIONS", 40)
    with ExitStack() as stack:
        hold(stack, server, kinds, 100)
        for _ in range(5):
            assert statuses(server, NEXT) == [200]
            assert statuses(server, PAGE) == [200]


def test_health_answers_while_a_proxy_holds_all_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trapline.web.server.http_server.MOST_CONNECTIONS", 20)
    make_library(tmp_path / "library.sqlite")
    with served(tmp_path / "library.sqlite", tmp_path, web_proxies='["127.0.0.0/8"]') as server, ExitStack() as stack:
        assert statuses(server, PAGE) == [200]
        hold(stack, server, ["silent", "half-a-head", "half-a-head-of-health", "traps-not-read"], 40)
        for _ in range(5):
            assert statuses(server, PAGE) == [503]
            assert statuses(server, NEXT) == [200]


def test_nothing_that_a_client_sends_fills_the_log(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    wrong = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9\r\n\r\n",
        CHUNKED + b"\r\n5\r\n1. e4xxxx",
        CHUNKED.replace(b"localhost", b"evil.example") + b"\r\n5\r\n1. e4xxxx",
        CHUNKED.replace(b"/api/v1/annotate", b"/nowhere") + b"\r\n5\r\n1. e4xxxx",
        NEXT.replace(b"close", b"Upgrade\r\nUpgrade: websocket"),
    ]
    for request in wrong:
        for split in (0, len(request) - 3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line, suppress(OSError):
                line.sendall(request[:split])
                line.sendall(request[split:])
                line.settimeout(2)
                while line.recv(1 << 16):
                    pass
    assert statuses(server, NEXT) == [200]
    assert not [each.getMessage() for each in caplog.records if each.levelno > logging.INFO]
