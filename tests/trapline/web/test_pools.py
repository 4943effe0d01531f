"""Searches have threads of their own: they keep no page waiting, and one too many is refused."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import chess
import pytest

from tests.support.polling import until
from tests.support.web_server import LEGAL, Served, make_library, served

LONG = f"fen={quote(chess.STARTING_FEN)}&nodes=10000000&top=50"
"""A question that takes many seconds: nothing mates there, and nothing is refuted soon."""
RUNNING = "trapline_questions_waiting 1.0"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    make_library(tmp_path / "library.sqlite")
    with served(tmp_path / "library.sqlite", tmp_path, web_seconds=60, web_threads=2, nodes=10_000_000) as running:
        yield running


def test_a_search_keeps_no_page_waiting_and_one_too_many_is_refused(server: Served) -> None:
    path = f"/api/v1/propose?{LONG}"
    with socket.create_connection(("127.0.0.1", server.port), 20) as line, server.client() as client:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        until(lambda: RUNNING in client.get("/metrics").text)
        for page in ("/about", "/traps", "/practise"):
            assert client.get(page).status_code == 200
        refused = client.get(f"/api/v1/traps?similar=10&fen={quote(LEGAL)}")
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "2"
        assert RUNNING in client.get("/metrics").text, "the search was there all the time"
