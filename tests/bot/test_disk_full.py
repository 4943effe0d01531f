"""A disk that is full when a game of the bot ends: the game is recorded once there is space, also after a restart."""

from pathlib import Path

import pytest

from bot import game_archive
from bot.saved_state import write_whole
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.playing_bot import challenged, ended, playing
from tests.support.polling import until
from trapcore.errors import OutputError
from trapline.settings import Settings

pytestmark = pytest.mark.fault

LINE = ("e4", "e5", "Nf3", "Nc6", "Bc4", "d6", "Nc3", "Bg4", "Nxe5", "Bxd1", "Bxf7+", "Ke7", "Nd5#")


def recorded(settings: Settings, game: str) -> bool:
    return bool(list((settings.bot.folder / "games").glob(f"*/{game}.pgn")))


@pytest.mark.parametrize("restarts", [False, True], ids=["goes-on", "restarted"])
def test_a_game_is_recorded_after_the_disk_was_full(
    restarts: bool, server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_archive, "RETRY_SECONDS", 0.5)
    full = [True]

    def write(path: Path, content: bytes) -> None:
        if full[0]:
            raise OutputError(f"{path}: no space left on device")
        write_whole(path, content)

    monkeypatch.setattr(game_archive, "write_whole", write)
    with playing(settings) as bot:
        game = challenged(server, Habits(line=LINE, think=(0.05, 0.05)))
        until(lambda: ended(server, game))
        until(lambda: any(game in str(problem) for problem in bot.health()["problems"]))  # type: ignore[attr-defined]
        assert not bot.health()["ok"]
        assert not recorded(settings, game)
        if not restarts:
            full[0] = False
            until(lambda: recorded(settings, game))
            until(lambda: bool(bot.health()["ok"]))
    if restarts:
        full[0] = False
        with playing(settings):
            until(lambda: recorded(settings, game))
    assert recorded(settings, game)


def test_a_game_of_which_nothing_was_saved_is_written_when_the_bot_stops(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, order = [True], list[str]()
    index = game_archive.Indexer._index

    def write(path: Path, content: bytes) -> None:
        if full[0]:
            raise OSError(28, "No space left on device")
        order.extend([path.stem] if path.suffix == ".pgn" else [])
        write_whole(path, content)

    def indexed(indexer: game_archive.Indexer) -> None:
        order.append("index")
        index(indexer)

    monkeypatch.setattr(game_archive, "write_whole", write)
    monkeypatch.setattr(game_archive.Indexer, "_index", indexed)
    with playing(settings) as bot:
        # The disk is full from the beginning of the game to its end: no file of its state is there either.
        monkeypatch.setattr("bot.saved_state.write_whole", write)
        game = challenged(server, Habits(line=LINE, think=(0.05, 0.05)))
        until(lambda: any(game in str(problem) for problem in bot.health()["problems"]))  # type: ignore[attr-defined]
        assert not (settings.bot.folder / "running" / f"{game}.json").exists()
        full[0] = False
    assert recorded(settings, game)
    # Indexing may take longer than the bot has left.
    assert order == [game, "index"]
