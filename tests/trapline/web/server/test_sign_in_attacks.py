"""Signing in against a lichess that is slow, refuses, or answers anything; and visitors with made-up codes."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.support.web_server import Served, make_library, served
from trapline.web.sign_ins import EXCHANGES

HERE = "https://traps.example"
TOKEN: tuple[int, Any] = (200, {"access_token": "lip_secret", "token_type": "Bearer"})
ACCOUNT: tuple[int, Any] = (200, {"id": "bob", "username": "Bob"})


@dataclass
class Lichess:
    """A lichess that answers as it is told."""

    url: str = ""
    token: tuple[int, Any] = TOKEN
    account: tuple[int, Any] = ACCOUNT
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)
    is_asked: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def lichess() -> Iterator[Lichess]:
    told = Lichess()
    told.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.asked.append(f"{self.command} {self.path}")
            told.is_asked.set()
            told.may_answer.wait(30)
            status, content = told.token if self.path == "/api/token" else told.account
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        told.url = f"http://127.0.0.1:{server.server_port}"
        yield told
        told.may_answer.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def running(lichess: Lichess, tmp_path: Path) -> Iterator[Served]:
    make_library(tmp_path / "library.sqlite")
    settings = {"web_public": True, "web_lichess": lichess.url, "web_address": HERE}
    proxies = json.dumps(["127.0.0.1"])
    with served(tmp_path / "library.sqlite", tmp_path, web_threads=1, web_proxies=proxies, **settings) as server:
        yield server


def come_back(running: Served, code: str = "liu_0123", address: str = "192.0.2.1") -> httpx.Response:
    """Goes to lichess and comes back with this code."""
    with running.client() as client:
        client.headers["x-forwarded-for"] = address
        begun = client.get("/sign-in")
        assert begun.status_code == 303, begun.text
        state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
        cookies = {"cookie": begun.headers["set-cookie"].partition(";")[0]}
        return client.get("/sign-in/done", params={"code": code, "state": state}, headers=cookies)


def test_who_waits_for_lichess_keeps_no_page_waiting(lichess: Lichess, running: Served) -> None:
    lichess.may_answer.clear()
    with ThreadPoolExecutor(4) as visitors, running.client() as client:
        waiting = []
        for number in range(4):
            lichess.is_asked.clear()
            waiting.append(visitors.submit(come_back, running, f"code{number}", f"192.0.2.{number}"))
            assert lichess.is_asked.wait(20)
        assert client.get("/").status_code == 200
        assert not any(each.done() for each in waiting)
        # The same address waits for its own.
        again = come_back(running, "another", "192.0.2.1")
        assert (again.status_code, again.headers["retry-after"]) == (429, "10")
        lichess.may_answer.set()
        assert [each.result().status_code for each in waiting] == [303] * 4


def test_a_lichess_that_never_answers_is_given_up(
    lichess: Lichess, running: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lichess.oauth.TIMEOUT_SECONDS", 0.3)
    lichess.may_answer.clear()
    answer = come_back(running)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    assert "lichess does not answer as it should" in answer.text


def test_lichess_is_asked_once_for_a_code_that_was_begun_here(lichess: Lichess, running: Served) -> None:
    with running.client() as client:
        for state in ("", "x", "x" * 1900):
            cookies = {"cookie": f"trapline-sign-in={state}"}
            made_up = client.get("/sign-in/done", params={"code": "liu_1", "state": state}, headers=cookies)
            assert made_up.status_code == 400
    for code in ("a b", "\x1b[31m", "é", "x" * 201, "../", "a\nb"):
        assert come_back(running, code).status_code == 400
    assert lichess.asked == []
    assert come_back(running, "liu_1").status_code == 303
    assert lichess.asked == ["POST /api/token", "GET /api/account", "DELETE /api/token"]
    assert come_back(running, "liu_1").status_code == 400
    assert len(lichess.asked) == 3


def test_an_address_has_few_tries(lichess: Lichess, running: Served) -> None:
    lichess.token = 400, {"error": "invalid_grant"}
    answers = [come_back(running, f"made-up-{number}") for number in range(EXCHANGES + 2)]
    assert [answer.status_code for answer in answers] == [400] * EXCHANGES + [429] * 2
    assert "did not accept this sign-in" in answers[0].text
    assert int(answers[-1].headers["retry-after"]) > 30
    assert len(lichess.asked) == EXCHANGES
    assert come_back(running, "other", "198.51.100.7").status_code == 400


@pytest.mark.parametrize(("given", "least"), [("", 55), ("1", 55), ("900", 850), ("x", 55)])
def test_after_a_429_nobody_asks_lichess(lichess: Lichess, running: Served, given: str, least: int) -> None:
    lichess.token, lichess.headers = (429, {"error": "Too many requests"}), {"Retry-After": given}
    refused = come_back(running)
    assert (refused.status_code, len(lichess.asked)) == (503, 1)
    assert least < int(refused.headers["retry-after"]) <= max(60, least + 60)
    lichess.token = TOKEN
    with running.client() as client:
        begun = client.get("/sign-in", headers={"x-forwarded-for": "198.51.100.7"})
        assert begun.status_code == 503
        assert int(begun.headers["retry-after"]) >= least
    assert len(lichess.asked) == 1


ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    1e400,
    "",
    [],
    {},
    ["Bob"],
    {"a": 1},
    "Bob\x1b[31m",
    "Bob ",
    "Böb",
    "b" * 31,
    "<b>",
)


def test_an_account_that_is_none_signs_nobody_in(lichess: Lichess, running: Served) -> None:
    for number, odd in enumerate(ODD):
        accounts = ({"id": "bob", "username": odd}, {"id": odd, "username": "Bob"}, {"id": odd, "username": odd}, odd)
        for place, account in enumerate(accounts):
            lichess.account = 200, account
            answer = come_back(running, f"code{number}-{place}", f"192.0.2.{number}")
            assert answer.status_code == 503, account
            assert "set-cookie" not in answer.headers
            assert "\x1b" not in answer.text
    assert lichess.asked.count("DELETE /api/token") == len(ODD) * 4


def test_a_token_that_is_none_signs_nobody_in(lichess: Lichess, running: Served) -> None:
    bodies = (b"", b"\xff", b"{", b"[" * 100_000, b'{"access_token": "a\\nb"}')
    tokens = [{"access_token": odd} for odd in ODD if not isinstance(odd, str) or odd in ("", "Böb")]
    for number, odd in enumerate((*bodies, *tokens)):
        lichess.token = 200, odd
        answer = come_back(running, f"code{number}", f"192.0.2.{number}")
        assert answer.status_code == 503, odd
    assert set(lichess.asked) == {"POST /api/token"}


def test_a_refusal_is_no_failure_of_the_server(lichess: Lichess, running: Served) -> None:
    for status in (400, 401, 403, 404, 418):
        for token, account in (((status, {}), ACCOUNT), (TOKEN, (status, b"\xff"))):
            lichess.token, lichess.account = token, account
            answer = come_back(running, f"code{len(lichess.asked)}", f"192.0.2.{status % 256}")
            assert answer.status_code == 400


def test_a_broken_lichess_is_said_to_be_one(lichess: Lichess, running: Served) -> None:
    for status in (301, 500, 502, 599):
        lichess.token = status, {}
        assert come_back(running, f"code{status}").status_code == 503
