"""Requests are held to the published description: method, address, parameters, content type, form."""

import pytest

from tests.fake_lichess.http.client import Client
from tests.fake_lichess.http.published import Published
from tests.fake_lichess.http.server import Server

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("method", "path", "kind", "body"),
    [
        ("GET", "/api/account", "", b""),
        ("GET", "/api/account/playing?nb=50", "", b""),
        ("POST", "/api/token/test", "text/plain; charset=utf-8", b"lip_a,lip_b"),
        ("POST", "/api/bot/game/abcdefgh/move/e2e4?offeringDraw=true", "", b""),
        ("POST", "/api/bot/game/abcdefgh/chat", FORM, b"room=player&text=hello"),
        ("POST", "/api/challenge/Bobby", FORM, b"rated=true&clock.limit=180&clock.increment=2&variant=standard"),
        ("POST", "/api/challenge/Bobby", FORM, b"days=3"),
        ("POST", "/api/challenge/abcdefgh/decline", FORM, b"reason=tooFast"),
        ("POST", "/api/challenge/abcdefgh/decline", "", b""),
        ("GET", "/api/games/user/Bobby?since=1700000000000&max=10&moves=false&sort=dateAsc", "", b""),
        ("HEAD", "/api/study/abcdefgh.pgn", "", b""),
        ("GET", "/api/stream/broadcast/tour/abcdefgh.pgn", "", b""),
    ],
)
def test_published_requests(published: Published, method: str, path: str, kind: str, body: bytes) -> None:
    assert published.faults(method, path, kind, body) == []


@pytest.mark.parametrize(
    ("method", "path", "kind", "body", "message"),
    [
        ("GET", "/api/nowhere", "", b"", "not published"),
        ("GET", "/api/bot/game/abcdefgh/resign", "", b"", "not published"),
        ("GET", "/api/account/playing?count=50", "", b"", "unknown parameter count"),
        ("GET", "/api/account/playing?nb=many", "", b"", "parameter nb"),
        ("POST", "/api/token/test", "", b"lip_a", "content type missing"),
        ("POST", "/api/token/test", FORM, b"lip_a", "published: text/plain"),
        ("POST", "/api/token/test", "text/plain", b"", "no body"),
        ("POST", "/api/bot/game/abcdefgh/chat", "application/json", b"{}", "content type application/json"),
        ("POST", "/api/bot/game/abcdefgh/chat", FORM, b"room=kitchen&text=x", "room: 'kitchen'"),
        ("POST", "/api/bot/game/abcdefgh/chat", FORM, b"room=player", "'text' is a required"),
        ("POST", "/api/challenge/Bobby", FORM, b"clock.limit=180&clock.increment=61", "61 is greater"),
        ("POST", "/api/challenge/Bobby", FORM, b"clock.limit=1.5&clock.increment=2", "clock.limit"),
        ("POST", "/api/challenge/Bobby", FORM, b"rated=True", "rated"),
        ("POST", "/api/challenge/Bobby", FORM, b"minutes=3", "unknown field minutes"),
        ("POST", "/api/challenge/abcdefgh/decline", FORM, b"reason=boring", "reason: 'boring'"),
    ],
)
def test_others(published: Published, method: str, path: str, kind: str, body: bytes, message: str) -> None:
    found = published.faults(method, path, kind, body)
    assert message in "; ".join(found)


def test_a_server_does_not_end_in_silence_after_a_request_that_is_not_published(published: Published) -> None:
    def ask(path: str) -> None:
        with Server() as server:
            _, token = server.bot()
            Client(server.port, token.secret).get(path)

    ask("/api/account")
    with pytest.raises(AssertionError, match="unknown parameter teapot"):
        ask("/api/account?teapot=1")
