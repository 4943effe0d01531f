"""Requests that nobody means well: each is refused, or costs no more than its limits."""

import bz2
import gzip
import random
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from tests.soak.server.requests import Client
from tests.support.web_server import GAMES

FULL_BOARD = "qqqqk3/qqqqq1rr/8/8/8/8/QQQQQ1RR/QQQQK3 w - - 0 1"
"""As many queens as a side can have."""

THIRTY = "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - - 0 1"

PGN = {"Content-Type": "application/x-chess-pgn"}
_REFUSED = (400, 403, 404, 405, 408, 413, 415, 421, 422, 429, 431)


def _bomb(client: Client, chance: random.Random) -> None:
    pack: Callable[[bytes], bytes] = chance.choice((bz2.compress, gzip.compress))
    body = pack(bytes(1 << 20)) * 64
    client.ask("POST", "/api/v1/annotations", allowed=(202, *_REFUSED), content=body, headers=PGN)


def _broken_games(client: Client, chance: random.Random) -> None:
    body = bytearray(GAMES.read_bytes()[: chance.randint(1, 20_000)])
    for _ in range(20):
        body[chance.randrange(len(body))] = chance.randrange(256)
    params = {"tell": "known"}
    client.ask("POST", "/api/v1/annotations", allowed=(202, 422), params=params, content=bytes(body), headers=PGN)


def _expensive(client: Client, chance: random.Random) -> None:
    path, more = chance.choice((("/api/v1/traps", {"similar": "10"}), ("/api/v1/propose", {}), ("/position", {})))
    fen = chance.choice((FULL_BOARD, THIRTY))
    client.ask("GET", path, allowed=(200, *_REFUSED), params={"fen": fen, **more})


def _odd(client: Client, chance: random.Random) -> None:
    path = chance.choice(
        (
            "/static/../../etc/passwd",
            "/traps/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
            "/traps/%00",
            "/api/v1/traps?limit=99999999999999999999",
            "/api/v1/traps?min_similarity=nan",
            "/api/v1/traps?similar=10&fen=" + "8/" * 90,
            "/games/99999999999999999999999999",
            "/practise?skip=" + "a," * 1000,
            "/position?line=" + "e2e4," * 600,
        )
    )
    client.ask("GET", path, allowed=(200, *_REFUSED))


def _other_site(client: Client, chance: random.Random) -> None:
    headers = chance.choice(({"Host": "evil.example"}, {"Origin": "http://["}, {"Sec-Fetch-Site": "cross-site"}))
    client.ask("POST", "/api/v1/annotations", allowed=_REFUSED, content=b"1. e4 *", headers={**PGN, **headers})


def _write_without_token(client: Client, chance: random.Random) -> None:
    body = {"name": "x", "fen": THIRTY, "bait": "b1b7", "line": "a7b7"}
    client.ask("POST", "/api/v1/traps", allowed=(403, 422), json=body)
    client.ask("DELETE", "/api/v1/traps/legals-mate", allowed=(403,), headers={"Authorization": "Bearer wrong"})


KINDS: tuple[Callable[[Client, random.Random], None], ...] = (
    _bomb,
    _broken_games,
    _expensive,
    _odd,
    _other_site,
    _write_without_token,
)

_LINES = (
    b"",
    b"GET / HT",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /api/v1/annotations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n1. e4",
    b"POST /api/v1/annotations HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n1. e4",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 5000,
    b"GET /traps HTTP/1.1\r\nHost: localhost\r\n\r\n" * 30,
)


def attack(client: Client, seed: int, pause: float, stopped: threading.Event) -> None:
    """One hostile request after the other."""
    chance = random.Random(seed)
    while not stopped.wait(pause):
        chance.choice(KINDS)(client, chance)


def hold_connections(port: int, seed: int, stopped: threading.Event) -> None:
    """Open connections that say nothing, or only half of what they should, and leave them; twelve at a time."""
    chance = random.Random(seed)
    held: list[socket.socket] = []
    while not stopped.wait(0.5):
        with suppress(OSError):
            line = socket.create_connection(("127.0.0.1", port), 5)
            held.append(line)
            line.sendall(chance.choice(_LINES))
        if len(held) > 12:
            held.pop(0).close()
    for line in held:
        line.close()
