"""A server and the settings of a bot that plays on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_lichess.http.server import Server
from tests.support.bot_games import small_library
from tests.support.playing_bot import SECRET
from trapline.settings import Settings


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(keep_alive=0.3) as running:
        running.bot("TrapBot", SECRET)
        yield running


@pytest.fixture
def settings(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A bot that thinks briefly and says no long farewells, with a library of one trap."""
    monkeypatch.setattr("bot.bot.SHUTDOWN_SECONDS", 3.0)
    path = tmp_path / "library.sqlite"
    small_library(path)
    monkeypatch.setenv("TRAPLINE_DB", str(path))
    bot = {"url": server.url, "folder": tmp_path / "bot", "move_seconds": 0.03, "max_games": 2}
    bot |= {"repertoire_minutes": 0.0}
    return Settings(bot=bot)
