"""Requests with changes, from the first byte of the head to the last of the body: no answer is a failure."""

import json
import logging
import random
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.faults.fuzz.mutations import NUMBERS, TEXTS, changed_bytes, changed_json
from tests.faults.fuzz.running import corpus, tries
from tests.support.web_server import LEGAL, TOKEN, Served, all_routes, make_library, served

# What the reader of forms leaves open when a client goes in the middle of one closes with the last reference to it.
pytestmark = pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile.__del__:pytest.PytestUnraisableExceptionWarning")

PATIENCE_SECONDS = 0.3
"""For the answer to a request that may not be whole."""

TRAP = {"name": "Légal", "fen": LEGAL, "bait": "g4d1", "line": "Bxf7+ Ke7 Nd5#", "family": "legal", "slug": "fuzzed"}
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="g.pgn"\r\n'
    b"Content-Type: text/plain\r\n\r\n1. e4 *\r\n"
    b'--b\r\nContent-Disposition: form-data; name="player"\r\n\r\nA\r\n--b--\r\n'
)


def request(method: str, path: str, body: bytes = b"", /, **headers: str) -> bytes:
    named = {"Host": "127.0.0.1", **headers, "Connection": "close"}
    if body:
        named["Content-Length"] = str(len(body))
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


SAMPLES = [
    request(
        "GET", f"/api/v1/traps?fen={quote(LEGAL)}&similar=3&measure=abstracted", Accept="*/*", If_None_Match='W/"a", *'
    ),
    request("GET", "/api/v1/traps?name=legal&limit=3&min_similarity=0.5", Range="bytes=0-5", Accept_Encoding="gzip"),
    request("GET", f"/position?fen={quote(LEGAL)}&line=g4d1,c4f7&side=black", Accept="text/html", X_Part="quick"),
    request("GET", "/practise?go=1&player=A&skip=a,b&hints=2&review=1&ply=3", Accept="text/html"),
    request("GET", "/report?player=A&zone=1.5&from=3&clock=x", Cookie="trapline-session=a.b.c"),
    request("HEAD", "/static/page.css", If_Modified_Since="Sun, 06 Nov 1994 08:49:37 GMT"),
    request("OPTIONS", "/api/v1/traps", Origin="http://127.0.0.1", Access_Control_Request_Method="POST"),
    request("POST", "/api/v1/annotations?tell=known&depth=3", b"1. e4 e5 *\n", Content_Type="text/plain"),
    request("POST", "/annotate", FORM, Content_Type="multipart/form-data; boundary=b"),
    request("POST", "/report", FORM, Content_Type="multipart/form-data; boundary=b"),
    request("POST", "/practise", b"exercise=x&hints=1&answer=e4", Content_Type="application/x-www-form-urlencoded"),
    request("POST", "/api/v1/traps", json.dumps(TRAP).encode(), Authorization=f"Bearer {TOKEN}"),
    request("DELETE", "/api/v1/traps/none", Authorization=f"Bearer {TOKEN}"),
    b"POST /api/v1/annotate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n"
    b"8\r\n1. e4 *\n\r\n0\r\nX-A: b\r\n\r\n",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("http")
    make_library(folder / "library.sqlite")
    with served(folder / "library.sqlite", folder, web_token=TOKEN, web_seconds=2) as running:
        yield running


def send(server: Served, data: bytes) -> None:
    """What is sent is answered by no failure, or not at all."""
    with socket.create_connection(("127.0.0.1", server.port), 20) as line:
        answer = b""
        with suppress(TimeoutError, ConnectionError):
            line.sendall(data)
            line.settimeout(PATIENCE_SECONDS)
            while len(answer) < 1000 and (more := line.recv(65536)):
                answer += more
    for status in re.findall(rb"^HTTP/1\.1 (\d+)", answer):
        assert status != b"500", answer


@pytest.fixture
def calm(server: Served, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """At the end nothing was logged as an error, and the server is well."""
    yield
    errors = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert not errors, [(each.getMessage(), each.exc_info) for each in errors]
    assert httpx.get(f"{server.url}health", timeout=60).status_code == 200


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("found", corpus("http"), ids=lambda path: path.stem)
def test_what_was_found_once(server: Served, found: Path) -> None:
    send(server, found.read_bytes())


@pytest.mark.usefixtures("calm")
def test_any_bytes(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    for chance in tries():
        send(server, changed_bytes(chance, chance.choice(SAMPLES), SAMPLES))
        assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


def odd_text(chance: random.Random) -> str:
    found: str | int | float = chance.choice((*TEXTS, *NUMBERS, "nan", "inf", "-inf", "1e999", "9" * 5000, "\x00", "٣"))
    return str(found)[:6000]


@pytest.mark.usefixtures("calm")
def test_any_value_of_any_parameter(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Every parameter of every address, and every part of a path, in turn."""
    routes = [route for route in all_routes() if {"GET", "DELETE"} & (route.methods or set())]
    for chance in tries():
        route = chance.choice(routes)
        part = quote(odd_text(chance)[:200], safe="")
        path = re.sub(r"\{(\w+)\}", part.replace("\\", ""), route.path)
        names = list(_parameters(route.dependant)) or ["x"]
        query = "&".join(f"{name}={quote(odd_text(chance))}" for name in chance.sample(names, min(3, len(names))))
        method = next(iter(route.methods or {"GET"}))
        send(server, request(method, f"{path}?{query}", Authorization=f"Bearer {TOKEN}"))
        assert not [each for each in caplog.records if each.levelno >= logging.ERROR], (path, query)


def _parameters(dependant: object) -> Iterator[str]:
    for field in getattr(dependant, "query_params", ()):
        model = getattr(field.field_info.annotation, "model_fields", None)
        yield from ([info.alias or name for name, info in model.items()] if model else [field.alias])


@pytest.mark.usefixtures("calm")
def test_any_json(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    for chance in tries():
        text = json.dumps(changed_json(chance, TRAP))
        text = text.replace("0", chance.choice(("0", "NaN", "1e999", "-Infinity")), 1)
        body = text.encode("utf-8", "surrogatepass")
        headers = {"Authorization": f"Bearer {TOKEN}", "Content_Type": "application/json"}
        send(server, request("POST", "/api/v1/traps", body, **headers))
        assert not [each for each in caplog.records if each.levelno >= logging.ERROR], text
