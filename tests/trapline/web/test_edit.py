"""Traps that are added and removed over HTTP, and what keeps strangers and other writers apart."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from db.library.open import open_library
from tests.support.web_server import TOKEN, Served, make_library, served, serving

TRAPS = "/api/v1/traps"
RIGHT = {"Authorization": f"Bearer {TOKEN}"}
#: A mate in one after the bait.
FOOL = {"name": "My fool's mate", "moves": "f3 e5", "bait": "g4", "line": "Qh4#", "family": "fool"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("writing") / "library.sqlite"
    make_library(path)
    return path


@pytest.fixture(scope="module")
def server(library: Path) -> Iterator[Served]:
    with served(library, library.parent, web_token=TOKEN) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"},
     {"Authorization": "Bearer ünïcode".encode("latin-1")}, {"Cookie": f"token={TOKEN}"}],
)  # fmt: skip
def test_nobody_writes_without_the_token(client: httpx.Client, headers: dict[str, str]) -> None:
    assert client.post(TRAPS, json=FOOL, headers=headers).status_code == 403
    assert client.delete(f"{TRAPS}/legal-mate", headers=headers).status_code == 403
    assert client.get(f"{TRAPS}/legal-mate").status_code == 200


def test_a_trap_is_added_proved_found_and_removed(client: httpx.Client, library: Path) -> None:
    before = client.get(f"{TRAPS}?limit=1")
    added = client.post(TRAPS, json=FOOL, headers=RIGHT)
    assert added.status_code == 201
    told = added.json()
    assert (told["result"], told["trap"]["verdict"], told["trap"]["mate_in"]) == ("added", "proved", 1)
    place = added.headers["location"]
    assert place == f"{TRAPS}/my-fools-mate"
    assert client.get(place).json() == told["trap"]
    after = client.get(f"{TRAPS}?limit=1", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.json()["total"]) == (200, before.json()["total"] + 1)
    assert client.get("/health").json()["library"]["traps"] == after.json()["total"]
    again = client.post(TRAPS, json=FOOL, headers=RIGHT)
    assert (again.status_code, again.json()["result"]) == (200, "unchanged")
    other = FOOL | {"name": "Another name"}
    refused = client.post(TRAPS, json=other, headers=RIGHT)
    assert (refused.status_code, "with other fields" in refused.json()["detail"]) == (409, True)
    replaced = client.post(f"{TRAPS}?replace=true", json=other, headers=RIGHT)
    assert (replaced.status_code, replaced.json()["result"]) == (200, "replaced")
    assert client.delete(replaced.headers["location"], headers=RIGHT).status_code == 204
    gone = client.delete(replaced.headers["location"], headers=RIGHT)
    assert (gone.status_code, "unknown trap" in gone.json()["detail"]) == (404, True)
    with open_library(library, read_only=True) as opened:
        assert opened.counts().traps == before.json()["total"]


@pytest.mark.parametrize(
    ("change", "status", "told"),
    [
        ({"bait": "Qh5"}, 422, "no legal move"),
        ({"line": "Ra8"}, 422, "no legal move"),
        ({"moves": None}, 422, "neither a position nor the moves"),
        ({"name": ""}, 422, "name: string should have at least 1 character"),
        ({"name": "two\nlines"}, 422, "must be one line"),
        ({"slug": "Not A Slug"}, 422, "must be lower-case letters"),
        ({"slug": "legal-mate"}, 409, "belongs to another trap"),
        ({"nmae": "x"}, 422, "nmae"),
    ],
)
def test_what_is_no_trap_is_refused(client: httpx.Client, change: dict[str, str], status: int, told: str) -> None:
    answer = client.post(TRAPS, json=FOOL | change, headers=RIGHT)
    assert (answer.status_code, told in answer.json()["detail"]) == (status, True), answer.text


def test_a_body_must_be_json_and_small(client: httpx.Client) -> None:
    kind = {"Content-Type": "application/json"}
    assert client.post(TRAPS, content=b"{", headers=RIGHT | kind).status_code == 422
    assert client.post(TRAPS, content=b"[" * 60_000, headers=RIGHT | kind).status_code in (400, 422)
    assert client.post(TRAPS, content=b" " * 70_000, headers=RIGHT | kind).status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(70):
            yield b" " * 1000

    assert client.post(TRAPS, content=chunks(), headers=RIGHT | kind).status_code == 413


def test_another_writer_is_waited_for_a_moment_and_then_named(client: httpx.Client, library: Path) -> None:
    with closing(sqlite3.connect(library, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.post(TRAPS, json=FOOL, headers=RIGHT)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "is locked by another program that writes to it" in answer.json()["detail"]
        assert client.get(f"{TRAPS}/legal-mate").status_code == 200, "reading goes on"
        other.execute("ROLLBACK")
    assert client.post(TRAPS, json=FOOL, headers=RIGHT).status_code == 201
    assert client.delete(f"{TRAPS}/my-fools-mate", headers=RIGHT).status_code == 204


def test_the_token_is_never_told(library: Path, tmp_path: Path) -> None:
    with serving(library, tmp_path, web_token=TOKEN) as server, server.client() as client:
        for path in ("/health", "/metrics", "/openapi.json", TRAPS):
            assert TOKEN not in client.get(path, headers=RIGHT).text
        server.stop()
    assert server.said
    assert not any(TOKEN in line for line in server.said)


def test_the_token_may_lie_in_a_file(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    with served(library, tmp_path, web_token_file=file) as server, server.client() as client:
        assert client.get("/health").json()["library"]["writable"] is True
        assert client.delete(f"{TRAPS}/nothing", headers=RIGHT).status_code == 404
