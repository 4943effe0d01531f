"""The end of the bot's process: it comes in time and in order, whatever the bot is at."""

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.fake_lichess.http.server import Server
from tests.soak.bot_process import ROOT, BotProcess
from tests.soak.library import free_port
from tests.support.bot_games import small_library
from tests.support.playing_bot import SECRET
from tests.support.polling import until

pytestmark = pytest.mark.fault

SYSTEMD_SECONDS = 60.0
"""``TimeoutStopSec`` of ``deploy/trapline-bot.service``, after which systemd kills the bot."""


def test_a_bot_that_has_much_to_index_ends_in_order(server: Server, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    small_library(library)
    # To judge these 66 games takes minutes.
    settings = ["repertoire_minutes = 0.0"]
    bot = BotProcess(tmp_path / "bot", server.url, SECRET, free_port(), settings, library, ["nodes = 1000000"])
    bot.write_settings()
    games = shutil.copy(ROOT / "examples" / "games.pgn", tmp_path / "games.pgn")
    state = bot.folder / "bot" / "bot.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"unindexed": [str(games)]}), "utf-8")
    bot.start()
    until(lambda: "traps are known" in bot.log.read_text("utf-8"))
    began = time.monotonic()
    code = bot.stop(10 * SYSTEMD_SECONDS)
    log = bot.log.read_text("utf-8")
    assert (code, time.monotonic() - began < SYSTEMD_SECONDS) == (0, True), log
    assert "the bot ends while it indexes; the next start indexes 1 games" in log
    assert "Traceback" not in log
    assert json.loads(state.read_text("utf-8"))["unindexed"] == [str(games)]
