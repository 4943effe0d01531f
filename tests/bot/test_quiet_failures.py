"""What fails without a sound: games that end while the bot is away, and games that lichess lists but does not show."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import chess
import pytest

from bot.saved_state import SavedState
from bot.settings import Speed
from db.library.backup import back_up, restore
from db.library.open import open_library
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.people import Refused
from tests.fake_lichess.players import Habits
from tests.support.playing_bot import LEGAL, challenged, chat_of, ended, no_violations, playing
from tests.support.polling import until
from tests.support.trap_games import without_figures
from trapcore.errors import LibraryError
from trapline.settings import Settings


def test_a_game_that_ended_while_the_bot_was_away_is_recorded_and_summed_up(server: Server, settings: Settings) -> None:
    with playing(settings):
        game = challenged(server, Habits(line=LEGAL, think=(0.3, 0.3)))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 9))
    server.do(lambda site: site.games[game].resign(chess.BLACK))
    # An editor or a copy program leaves such a file.
    (settings.bot.folder / "running" / "._copy.json").write_text("{}")
    with playing(settings):
        until(lambda: bool(list((settings.bot.folder / "games").glob(f"*/{game}.pgn"))))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
        until(lambda: any(text.startswith("Thanks for the game!") for _, text in chat_of(server, game)))
    (path,) = (settings.bot.folder / "games").glob(f"*/{game}.pgn")
    assert "Légal's mate" in " ".join(without_figures(text) for _, text in chat_of(server, game))
    assert '[Result "1-0"]' in path.read_text()
    no_violations(server)


def test_a_correspondence_game_that_ends_while_its_stream_is_left_is_recorded_at_once(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.game_state.LEAVE_SECONDS", 0.3)
    changes = {"speeds": (Speed.CORRESPONDENCE,)}
    with playing(settings.model_copy(update={"bot": settings.bot.model_copy(update=changes)})) as bot:
        game = challenged(server, Habits(think=(1e9, 1e9)), limit=None, increment=None, days=3)
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply == 1))
        server.do(lambda site: site.play(site.games[game], chess.BLACK, chess.Move.from_uci("e7e5")))
        until(lambda: server.do(lambda site: site.games[game].ply == 3))
        until(lambda: not bot.games)
        server.do(lambda site: site.games[game].resign(chess.BLACK))
        until(lambda: bool(list((settings.bot.folder / "games").glob(f"*/{game}.pgn"))), 30)
    no_violations(server)


def test_a_bot_that_stops_plays_the_game_of_a_challenge_that_it_just_accepted(
    server: Server, settings: Settings
) -> None:
    with playing(settings) as bot:
        until(lambda: server.do(lambda site: bool(site.record.opens)))
        server.order(Fault("slow", where="/accept", seconds=0.7))
        game = challenged(server, Habits(line=LEGAL, resign_at=3))
        until(lambda: bot.challenges.expected)
        bot.stop(30.0)
        until(lambda: ended(server, game), 30)
    no_violations(server)


def test_a_game_that_lichess_does_not_know_any_more_is_forgotten(server: Server, settings: Settings) -> None:
    with playing(settings):
        game = challenged(server, Habits(think=(0.3, 0.3)))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 2))
    server.do(lambda site: site.games.pop(game))
    with playing(settings) as bot:
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
        assert bot.health()["games"] == []


def test_a_ghost_game_is_asked_for_less_and_less_often_and_played_when_it_is_there(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.game_list.LIST_RETRY_SECONDS", 0.05)
    monkeypatch.setattr("bot.game_list.LIST_CALM_SECONDS", 0.05)
    asked: list[float] = []

    def haunt(site: Any) -> None:
        open_game = site.open_game

        def no_game(*whose: Any) -> Any:
            if len(asked) < 5:
                asked.append(time.monotonic())
                raise Refused("No such game", 404)
            return open_game(*whose)

        site.open_game = no_game

    server.do(haunt)
    with playing(settings):
        game = challenged(server, Habits(line=LEGAL))
        until(lambda: ended(server, game))
    waits = [after - before for before, after in pairwise(asked)]
    # Each wait is between the half and the whole of .1, .2, .4 and .8 seconds.
    assert [wait >= 0.05 * 2**number for number, wait in enumerate(waits)] == [True] * 4


def test_a_library_is_not_replaced_while_a_bot_uses_it(server: Server, settings: Settings, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(settings.db) as library:
        back_up(library, copy)
    with playing(settings) as bot:
        until(lambda: bot.traps.book is not None)
        until(lambda: server.do(lambda site: bool(site.record.opens)))
        with pytest.raises(LibraryError, match="is in use; stop whatever has it open"):
            restore(copy, settings.db, replace=True)
    restore(copy, settings.db, replace=True)
