"""Requests that break the rules of HTTP are refused, and fill no log."""

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.support.web_server import Served, make_library, served

HEAD = b"POST /api/v1/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-chess-pgn\r\n"
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


def test_an_upgrade_is_answered_as_if_it_were_none(server: Served) -> None:
    upgrade = NEXT.replace(b"Connection: close", b"Connection: Upgrade, close\r\nUpgrade: websocket")
    assert statuses(server, upgrade) == [200]


def test_nothing_that_a_client_sends_fills_the_log(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    wrong = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9\r\n\r\n",
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
