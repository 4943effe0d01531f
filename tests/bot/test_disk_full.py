"""A disk that is full when a game of the bot ends: the game is recorded once there is space, also after a restart."""

from pathlib import Path

import pytest

from bot import game_archive
from bot.saved_state import SavedState, write_whole
from tests.fake_lichess.faults import Fault
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


def test_a_game_that_a_full_disk_did_not_take_before_the_stop_is_requested_by_the_next_start(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = [True]

    def write(path: Path, content: bytes) -> None:
        if full[0]:
            raise OSError(28, "No space left on device")
        write_whole(path, content)

    monkeypatch.setattr(game_archive, "write_whole", write)
    with playing(settings) as bot:
        until((settings.bot.folder / "at_work").exists)
        monkeypatch.setattr("bot.saved_state.write_whole", write)
        game = challenged(server, Habits(line=LINE, think=(0.05, 0.05)))
        until(lambda: any(game in str(problem) for problem in bot.health()["problems"]))  # type: ignore[attr-defined]
    full[0] = False
    assert SavedState(settings.bot.folder).unfinished() == []
    assert not recorded(settings, game)
    messages = server.do(lambda site: len(site.record.messages))
    with playing(settings):
        until(lambda: recorded(settings, game))
    # It is over, and so is its chat.
    assert server.do(lambda site: len(site.record.messages)) == messages
    # This run has ended in order: nothing is requested any more.
    requests = server.do(lambda site: site.record.requests["GET /api/games/user/{user}"])
    assert requests == 1
    with playing(settings) as bot:
        until(lambda: bot.health()["ok"])
    assert server.do(lambda site: site.record.requests["GET /api/games/user/{user}"]) == requests


@pytest.mark.parametrize("begun", ["0", "4000000000"], ids=["long ago", "by a clock that was ahead"])
def test_games_that_may_be_lost_are_requested_until_lichess_answers(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch, begun: str
) -> None:
    monkeypatch.setattr("bot.finished_games.AGAIN_SECONDS", 0.1)
    with playing(settings):
        game = challenged(server, Habits(line=LINE, think=(0.05, 0.05)))
        until(lambda: recorded(settings, game))
    # As if the bot had been killed before it wrote anything of the game.
    (path,) = (settings.bot.folder / "games").glob(f"*/{game}.pgn")
    text = path.read_text("utf-8")
    path.unlink()
    (settings.bot.folder / "at_work").write_text(begun, "utf-8")
    server.order(Fault("500", where="/api/games/user", times=2))
    with playing(settings):
        until(lambda: recorded(settings, game))
    assert text.split()[-1] in path.read_text("utf-8")
    assert not (settings.bot.folder / "at_work").exists()
