"""Moves from lichess's servers: the right ones, and never at the price of the clock."""

from collections.abc import Iterator
from typing import Any

import chess
import pytest
from pydantic import SecretStr

from bot.moves.online import OnlineMoves
from bot.settings import BotSettings
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.support.playing_bot import SECRET

START = chess.Board()
ENDING = chess.Board("8/7P/8/8/8/8/k7/2K5 w - - 0 1")


def _played(uci: str, white: int, black: int) -> dict[str, Any]:
    return {
        "uci": uci, "san": uci, "averageRating": 1500, "white": white, "draws": 0, "black": black, "game": None,
        "opening": None,
    }  # fmt: skip


def _led(uci: str, category: str) -> dict[str, Any]:
    return {"uci": uci, "san": uci, "category": category}


@pytest.fixture
def server() -> Iterator[Server]:
    def prepare(site: Any) -> None:
        site.archive.known_positions = {
            "/lichess": {START.epd(): {"moves": [_played("g1f3", 100, 50), _played("a2a4", 10, 0)]}},
            "/masters": {START.epd(): {"moves": [_played("c2c4", 100, 50)]}},
            "/api/cloud-eval": {
                START.epd(): {"fen": "", "depth": 9, "knodes": 9, "pvs": [{"cp": 9, "moves": "e2e4 e7e5"}]}
            },
            "/standard": {ENDING.epd(): {"category": "win", "moves": [_led("h7h8q", "loss"), _led("c1c2", "draw")]}},
        }

    with Server() as running:
        running.bot("TrapBot", SECRET)
        running.do(prepare)
        yield running


def online(server: Server, token: str | None = SECRET, **settings: Any) -> OnlineMoves:
    urls: dict[str, Any] = {"url": server.url, "explorer_url": server.url, "tablebase_url": server.url}
    return OnlineMoves(BotSettings(**urls, **settings), None if token is None else SecretStr(token))


def requests(server: Server) -> int:
    return server.do(lambda site: sum(site.record.requests.values()))


def test_each_server_gives_its_move(server: Server) -> None:
    assert online(server, lichess_opening_explorer="lichess").move(START, 60.0) == ("g1f3", "explorer")
    assert online(server, lichess_opening_explorer="masters").move(START, None) == ("c2c4", "explorer")
    assert online(server, lichess_cloud_analysis=True).move(START, 60.0) == ("e2e4", "cloud")
    every = online(server, lichess_opening_explorer="lichess", lichess_cloud_analysis=True, online_egtb=True)
    assert every.move(ENDING, 60.0) == ("h7h8q", "table")
    unknown = chess.Board("8/7P/8/8/8/8/k7/1K6 w - - 0 1")
    assert every.move(unknown, 60.0) is None
    before = requests(server)
    assert every.move(START, 2.0) is None, "two seconds are too few to ask anybody"
    assert every.move(chess.Board(chess960=True), 60.0) is None
    assert requests(server) == before


def test_a_server_that_fails_or_is_slow_rests(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    moves = online(server, None, lichess_opening_explorer="lichess", lichess_cloud_analysis=True)
    assert moves.move(START, 60.0) == ("e2e4", "cloud"), "the explorer answers nobody without a token"
    before = requests(server)
    assert moves.move(START, 60.0) == ("e2e4", "cloud")
    assert requests(server) == before + 1
    assert len([one for one in caplog.messages if "it is not asked for a minute" in one]) == 1
    server.order(Fault("slow", where="/api/cloud-eval", seconds=3.0))
    assert moves.move(START, 8.0) is None
    assert moves.move(START, 8.0) is None
    assert requests(server) == before + 2
