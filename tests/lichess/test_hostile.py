"""A server that sends what lichess never would: every answer is bounded, and one bad game is passed over."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pydantic import SecretStr

from db.library.open import open_library
from lichess import http
from lichess.api import LichessError, Limited, Refused, Unreachable
from lichess.client import Connection
from lichess.http import PIECE
from tests.fake_lichess.http.server import Server
from tests.support.service_site import service_for
from trapcore.errors import OutputError
from trapline.service.games.game_files import GameFiles
from trapline.service.games.lichess_games import LichessGames
from trapline.service.jobs import run_job
from trapline.service.sources.users import UserCursor, new_games
from trapline.service.state.clock import Clock, StopFlag
from trapline.service.state.locks import ProcessLocks, RateLock
from trapline.service.state.source_state import SourceState

GOOD: dict[str, Any] = {"id": "abcdefgh", "createdAt": 1_700_000_000_000, "status": "mate", "pgn": "1. e4 e5 *"}

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def served(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        do_POST = do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def body(data: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def endless(piece: bytes, pause: float = 0.0) -> Answer:
    """An answer that goes on as long as somebody reads it, with a pause in seconds after each piece."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(piece)
            time.sleep(pause)

    return answer


@contextmanager
def games(url: str, folder: Path) -> Iterator[tuple[LichessGames, StopFlag]]:
    with open_library(folder / "library.sqlite", create=True) as library:
        client = LichessGames(url, None, RateLock(ProcessLocks(library.database)))
        try:
            yield client, StopFlag(Clock())
        finally:
            client.close()


def lines(*values: Any) -> bytes:
    return b"".join(value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n" for value in values)


BAD: list[Any] = [
    GOOD | {"id": "../../../pwned"},
    GOOD | {"id": "a/b"},
    GOOD | {"id": ""},
    GOOD | {"id": 5},
    GOOD | {"id": "x" * 5000},
    GOOD | {"createdAt": -1},
    GOOD | {"createdAt": 10**20},
    GOOD | {"createdAt": "yesterday"},
    GOOD | {"createdAt": True},
    GOOD | {"createdAt": 1e300},
    GOOD | {"pgn": "\ud800"},
    GOOD | {"pgn": None},
    GOOD | {"pgn": ["1. e4 *"]},
    GOOD | {"pgn": "x" * (3 << 20)},
    {"id": "abcdefgh"},
    [],
    5,
    b"{\n",
    b"nonsense\n",
    b"[" * 100_000 + b"\n",
    b'{"id": ' + b"9" * 10_000 + b"}\n",
    b"\xff\xfe\n",
]


@pytest.mark.parametrize("bad", BAD, ids=lambda value: repr(value)[:40])
def test_one_bad_game_is_passed_over_and_counted(tmp_path: Path, bad: Any) -> None:
    other = GOOD | {"id": "ijklmnop"}
    with served(body(lines(GOOD, bad, other))) as url, games(url, tmp_path) as (client, stop):
        page = client.games("somebody", 0, stop)
    assert [game.id for game in page.games] == ["abcdefgh", "ijklmnop"]
    assert len(page.bad) == 1
    assert page.broke is None


def test_a_game_that_begins_in_the_future_does_not_hide_the_others(tmp_path: Path) -> None:
    now = 1_700_000_100_000
    late = GOOD | {"id": "ijklmnop", "createdAt": now + 10 * 365 * 86_400_000}
    with served(body(lines(GOOD, late))) as url, games(url, tmp_path) as (client, stop):
        cursor = UserCursor.of({}, 0, now)
        found = [game.id for some in new_games(client, "somebody", cursor, stop) for game in some]
    assert found == ["abcdefgh"]
    assert cursor.since == GOOD["createdAt"]
    assert set(cursor.bad) == {"game ijklmnop begins in the future"}


@pytest.mark.parametrize("bad", [*BAD, b"null\n", b"\n"], ids=lambda value: repr(value)[:40])
def test_one_bad_running_game_is_passed_over(tmp_path: Path, bad: Any) -> None:
    other = GOOD | {"id": "ijklmnop"}
    with served(body(lines(GOOD, bad, other))) as url, games(url, tmp_path) as (client, stop):
        for found in (client.running("somebody", stop), client.on_air("blitz", stop)):
            assert {"abcdefgh", "ijklmnop"} <= found.keys()


def test_games_before_what_was_asked_for_are_not_new_again_and_again(tmp_path: Path) -> None:
    early = GOOD | {"id": "ijklmnop", "createdAt": 1}
    with served(body(lines(early, GOOD, early, GOOD))) as url, games(url, tmp_path) as (client, stop):
        cursor = UserCursor.of({}, GOOD["createdAt"], GOOD["createdAt"] + 1)
        found = [game.id for some in new_games(client, "somebody", cursor, stop) for game in some]
    assert found == ["abcdefgh"]
    assert set(cursor.bad) == {"game ijklmnop begins before what was asked for"}


ENDLESS = (b"x" * 65_536, json.dumps(GOOD).encode() + b"\n", b"\n" * 1000, b"null\n" * 1000)


@pytest.mark.parametrize("piece", ENDLESS)
def test_an_answer_without_end_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    monkeypatch.setattr("trapline.service.games.lichess_games.LONGEST_ANSWER", 1 << 18)
    monkeypatch.setattr("trapline.service.games.lichess_games.LONGEST_PGN", 1 << 18)
    monkeypatch.setattr("trapline.service.games.lichess_games.MOST_LINES", 500)
    monkeypatch.setattr("trapline.service.games.lichess_games.MOST_EMPTY", 500)
    with served(endless(piece)) as url, games(url, tmp_path) as (client, stop):
        assert isinstance(client.games("somebody", 0, stop).broke, Unreachable)
        assert isinstance(client.study("abcdefgh", stop)[1], Unreachable)


def test_lines_that_say_nothing_do_not_make_a_list_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trapline.service.games.lichess_games.MOST_LINES", 500)
    with served(endless(b"\n" * 1000)) as url, games(url, tmp_path) as (client, stop):
        assert client.running("somebody", stop) == client.on_air("blitz", stop) == client.studies_of("me", stop) == {}


def test_a_slow_download_ends_by_a_signal(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 26))
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * PIECE)
            time.sleep(0.02)

    with (
        served(answer) as url,
        Server(speed=0.0) as lichess,
        service_for(lichess, tmp_path, dumps=(f"{url}/games.pgn",)) as service,
    ):
        threading.Timer(0.5, service.stop).start()
        ran = run_job(service, "dumps")
    assert ran is not None
    assert ran.error is not None
    assert "told to stop" in ran.error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_the_token(tmp_path: Path, status: int) -> None:
    asked: list[str | None] = []

    def steal(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.headers["Authorization"])
        body(b"[]")(handler)

    with served(steal) as elsewhere:
        away = body(b"", status, Location=f"{elsewhere.replace('127.0.0.1', 'localhost')}/steal")
        with served(away) as url, closing(Connection(url, SecretStr("lip_secret"))) as client:
            for ask in (client.account, client.ongoing, lambda: next(client.events())):
                with pytest.raises(Unreachable):
                    ask()
    assert asked == []


def test_a_list_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LONGEST_BODY", 1 << 20)
    with served(endless(b"[" * 65_536)) as url:
        client = Connection(url, None)
        with pytest.raises(Unreachable, match="more than 1 MiB"):
            client.chat("abcdefgh")
        client.close()


@pytest.mark.parametrize("status", [302, 404, 429, 500])
@pytest.mark.parametrize("piece", [b"x" * 10_000, b""], ids=["without end", "broken off"])
def test_a_refused_stream_is_read_with_bounds(monkeypatch: pytest.MonkeyPatch, status: int, piece: bytes) -> None:
    monkeypatch.setattr(http, "LONGEST_BODY", 100_000)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        while piece:
            handler.wfile.write(piece)
        handler.wfile.write(b'{"error": ')
        handler.close_connection = True

    with served(answer) as url, closing(Connection(url, None)) as client, pytest.raises(LichessError):
        next(client.events())


@pytest.mark.parametrize(("piece", "pause"), [(b" " * 10_000, 0.0), (b" ", 0.05)])
def test_an_answer_that_trickles_is_cut_off(monkeypatch: pytest.MonkeyPatch, piece: bytes, pause: float) -> None:
    monkeypatch.setattr(http, "LONGEST_SECONDS", 0.3)
    with served(endless(piece, pause)) as url:
        client = Connection(url, None)
        with pytest.raises(Unreachable, match=r"not over|more than"):
            client.chat("abcdefgh")
        client.close()


def test_what_is_packed_otherwise_than_asked_is_not_unpacked() -> None:
    bomb = zstandard.compress(b"[" * (1 << 24))
    with served(body(bomb, Content_Encoding="zstd")) as url:
        client = Connection(url, None)
        with pytest.raises(Unreachable, match="zstd"):
            client.chat("abcdefgh")
        client.close()


@pytest.mark.parametrize(
    "given", ["1" + "0" * 20, "-5", "nan", "inf", "9" * 5000, "Wed, 21 Oct 9999 07:28:00 GMT", "x"]
)
def test_no_wait_is_longer_than_a_week(given: str) -> None:
    data = b'{"ratelimit": {"seconds": 1e999, "key": "' + b"k" * 9000 + b'"}}'
    with served(body(data, 429, Retry_After=given)) as url:
        client = Connection(url, None)
        with pytest.raises(Limited) as caught:
            client.chat("abcdefgh")
        client.close()
    assert caught.value.seconds is None
    assert len(caught.value.key) <= 100


@pytest.mark.parametrize("status", [401, 403, 407])
def test_a_page_of_a_server_before_lichess_says_nothing_of_the_token(status: int) -> None:
    with served(body(b"<html><title>Attention</title></html>", status, Content_Type="text/html")) as url:
        client = Connection(url, None)
        with pytest.raises(Unreachable):
            client.chat("abcdefgh")
        client.close()


def test_words_of_an_error_stay_in_one_line() -> None:
    with served(body(b'{"error": "no\\nERROR bot: forged \\u001b[2J"}', 400)) as url:
        client = Connection(url, None)
        with pytest.raises(Refused) as caught:
            client.chat("abcdefgh")
        client.close()
    assert str(caught.value).endswith("no\\u000aERROR bot: forged \\u001b[2J")


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"error": ' * 50_000, b"\xff", b"null", b'"x"', b"5"])
@pytest.mark.parametrize("status", [200, 400, 429, 500])
def test_odd_answers_are_errors_of_lichess(data: bytes, status: int) -> None:
    with served(body(data, status)) as url:
        client = Connection(url, None)
        for ask in (client.account, client.ongoing, client.challenges, lambda: client.online_bots(5, "blitz")):
            with pytest.raises(LichessError):
                ask()
        client.close()


@pytest.mark.parametrize("name", ["../pwned", "a/b/c", "/etc/x", "a/..", "a.pgn/../x", "", "a\x00b"])
def test_no_file_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        files = GameFiles(tmp_path / "in", library, SourceState(library.database), jobs=1)
        with pytest.raises(OutputError, match="no name"):
            files.put("users", name, ["1. e4 *"])
    assert not list(tmp_path.rglob("*.pgn"))
