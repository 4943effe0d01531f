"""Whom the server answers: names and sites, headers of every shape, and HEAD."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.web_server import GAMES, Served, make_library, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("hosts") / "library.sqlite"
    make_library(path)
    with served(path, path.parent, web_hosts='["traps.example"]') as running:
        yield running


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1:8321", 200),
        ("[::1]:8321", 200),
        ("traps.example", 200),
        ("Traps.Example.:443", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("192.0.2.7", 421),
        ("", 400),
        ("[", 400),
        ("a b", 400),
        ("localhost:port", 400),
        ("localhost/x", 400),
        ("user@localhost", 400),
        ("\u00e9", 400),
    ],
)
def test_the_server_answers_for_its_own_names(server: Served, host: str, code: int) -> None:
    with server.client() as client:
        assert client.get("/health", headers=[(b"Host", host.encode("latin-1"))]).status_code == code


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://a/b"}, 403),
        ({"Origin": "javascript:x"}, 403),
    ],
)
def test_pages_of_other_sites_may_not_write(server: Served, headers: dict[str, str], code: int) -> None:
    with server.client() as client:
        answer = client.post(
            "/api/v1/annotate", content=GAMES.read_bytes(), headers={"Content-Type": "text/plain", **headers}
        )
        assert answer.status_code == code


_VALUES = [
    b"",
    b"[",
    b"http://[",
    b"\xff\xfe",
    b"%",
    b"-1",
    b"9" * 400,
    b'"',
    b"a,b;c=d",
    b"bytes=0-",
    b"\t",
    b"x" * 5000,
]
_HEADERS = [
    "Accept",
    "Accept-Encoding",
    "Authorization",
    "Content-Length",
    "Content-Type",
    "Cookie",
    "Expect",
    "If-None-Match",
    "If-Modified-Since",
    "Origin",
    "Range",
    "Referer",
    "Sec-Fetch-Site",
    "Transfer-Encoding",
    "Upgrade",
    "User-Agent",
    "X-Forwarded-For",
    "X-Forwarded-Host",
]


@pytest.mark.parametrize("name", _HEADERS)
@pytest.mark.parametrize("request_line", ["GET /", "GET /api/v1/families", "POST /annotate", "DELETE /api/v1/traps/x"])
def test_no_header_makes_the_server_fail(server: Served, name: str, request_line: str) -> None:
    for value in _VALUES:
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            head = f"{request_line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{name}: ".encode()
            line.sendall(head + value + b"\r\n\r\n")
            line.shutdown(socket.SHUT_WR)
            status = line.makefile("rb").readline()
        assert not status.startswith(b"HTTP/1.1 500"), (name, value)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/health",
        "/metrics",
        "/api/v1/families",
        "/api/v1/traps",
        "/position",
        "/openapi.json",
        "/nothing",
        "/traps/x",
    ],
)
def test_head_answers_as_get_does(server: Served, path: str) -> None:
    with server.client() as client:
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        varying = ("date", "content-length")
        shown = [{k: v for k, v in answer.headers.items() if k not in varying} for answer in (got, head)]
        assert shown[0] == shown[1]
