"""Work ends with its request: at every address, when its time is over and when its client has gone."""

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import chess
import httpx
import pytest

from tests.faults.test_bounded_search import END, FULL
from tests.support.polling import until
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.web_server import TOKEN, Served, all_routes, served

CROWDED = FULL[0]
"""A position in which every search takes longer than anybody waits."""

QUERIES = {
    "/api/v1/traps": [
        f"fen={quote(CROWDED)}&similar=100&measure={measure}"
        for measure in ("abstracted", "continuations", "sequences", "structural")
    ],
    "/api/v1/explore": [f"fen={quote(CROWDED)}&mirrored=1", f"fen={quote(CROWDED)}&people=1"],
    "/api/v1/propose": [f"fen={quote(CROWDED)}&nodes=10000000&top=50&explain=1"],
    "/position": [f"fen={quote(CROWDED)}"],
    "/position/setup": [f"fen={quote(CROWDED)}"],
    "/board.svg": [f"fen={quote(CROWDED)}"],
    "/piece.svg": ["piece=P"],
    "/practise": [f"go=1&player={quote(PLAYER)}"],
    "/practise/progress": [f"player={quote(PLAYER)}"],
    "/practise/exercises.{kind}": [f"player={quote(PLAYER)}", ""],
    "/repertoire": [f"player={quote(PLAYER)}"],
    "/prepare": [f"against={quote(PLAYER)}"],
    "/report": [f"player={quote(PLAYER)}"],
    "/report/traps": [f"player={quote(PLAYER)}"],
    "/report/games": [f"player={quote(PLAYER)}"],
    "/games/{number}": ["best=1", "ply=3&best=1"],
}
"""The dearest that can be asked of an address; of any other, what it answers without parameters."""

PARTS = {"slug": "legals-mate", "kind": "apkg", "number": "1", "id": "none", "place": "1", "token": "none"}

CASES = [
    (re.sub(r"\{(\w+)\}", lambda found: PARTS[found[1]], route.path), query)
    for route in all_routes()
    if "GET" in (route.methods or ())
    for query in QUERIES.get(route.path, [""])
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_practice_library(tmp_path_factory.mktemp("stops") / "library.sqlite")


@pytest.fixture(scope="module")
def server(library: Path) -> Iterator[Served]:
    with served(library, library.parent, web_seconds=0.5, web_threads=2, nodes=1_000_000_000) as running:
        yield running


def waits_for_rest(client: httpx.Client) -> None:
    """Until nobody works any more, which has to be soon."""
    until(lambda: "trapline_questions_waiting 0.0" in client.get("/metrics").text, END)


@pytest.mark.parametrize(("path", "query"), CASES)
def test_work_ends_with_its_time(server: Served, path: str, query: str) -> None:
    with server.client() as client:
        client.get(f"{path}?{query}")
        waits_for_rest(client)


@pytest.mark.parametrize(("path", "query"), CASES)
def test_work_ends_with_its_client(server: Served, path: str, query: str) -> None:
    for patience in (0.0, 0.1):
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            line.sendall(f"GET {path}?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            time.sleep(patience)
    with server.client() as client:
        waits_for_rest(client)


def test_the_proof_of_a_new_trap_ends_with_its_client(library: Path) -> None:
    board = chess.Board(CROWDED)
    bait = next(iter(board.legal_moves))
    board.push(bait)
    line_of_one = next(iter(board.legal_moves)).uci()
    body = json.dumps({"name": "Crowded", "fen": CROWDED, "bait": bait.uci(), "line": line_of_one})
    with served(library, library.parent, web_token=TOKEN) as server:
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json"
            line.sendall(f"POST /api/v1/traps HTTP/1.1\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            time.sleep(0.5)
        with server.client() as client:
            waits_for_rest(client)
