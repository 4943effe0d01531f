"""The whole bot against a server of our own: games from challenge to record, restarts, and the chat."""

import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from annotator.record import record_losing_moves
from bot.bot import Bot, check_account
from bot.moves.move_choice import MoveSources, Tablebases
from bot.saved_state import SavedState
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import create_library, open_library
from db.proof.prover import TrapProver
from db.storage.losing_rows import losing_moves_of
from db.storage.tables import GameRow
from lichess.api import Unauthorized
from lichess.client import Connection
from tests.fake_lichess.archive.stored import Study
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.site import BOT_SCOPES
from tests.support.db_traps import LEGAL_MOVES, elephant
from tests.support.playing_bot import (
    LEGAL,
    SECRET,
    Opening,
    challenged,
    chat_of,
    ended,
    moves,
    no_violations,
    playing,
)
from tests.support.polling import until
from tests.support.trap_games import game, without_figures
from trapcore.errors import UsageError
from trapcore.parallel.pools import threads
from trapline.settings import Settings


def test_a_game_with_a_trap_from_challenge_to_record(server: Server, settings: Settings) -> None:
    with playing(settings) as bot:
        game = challenged(server, Habits(line=(*LEGAL, "Bxf7+", "Ke7", "Nd5#"), think=(0.15, 0.15)))
        until(lambda: ended(server, game))
        record = settings.bot.folder / "games"
        until(lambda: bool(list(record.glob(f"*/{game}.pgn"))))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
        assert moves(server, game)[-3:] == ["c4f7", "e8e7", "c3d5"]
        assert len(bot.latency_stats.killers) == 2
        until(lambda: len(chat_of(server, game)) == 5)
    no_violations(server)
    chat = [(room, without_figures(text).partition(" But ")[0]) for room, text in chat_of(server, game)]
    assert chat == [
        ("player", "Hello Player1, have fun! I like to set traps. Ask me !help."),
        (
            "spectator",
            "TrapBot: Sets Légal's mate: the queen on d1 can be taken, but 5... Bxd1 6. Bxf7+ Ke7 7. Nd5#.",
        ),
        ("spectator", "Player1: Takes the bait."),
        ("player", "Thanks for the game! Traps: my Légal's mate (you fell for it)."),
        ("player", "The trap: 5... Bxd1 allows mate in 2: 6. Bxf7+ Ke7 7. Nd5#."),
    ]
    (path,) = record.glob(f"*/{game}.pgn")
    text = path.read_text()
    assert '[White "TrapBot"]' in text
    assert '[Result "1-0"]' in text
    assert "Falls into Legal's mate" in text
    assert text.count("[%clk 0:0") == 13
    with open_library(settings.db, read_only=True) as library:
        assert library.counts().games == 1
        assert library.events("legals-mate") == {"fell": 1}
    assert SavedState(settings.bot.folder).bot.stats == {
        **{"games": 1, "set": 1, "fell": 1},
        **{"chosen": 1, "known": 1, "taken": 1},
    }


def test_opponent_hears_after_the_game_of_the_same_mistake_in_an_earlier_one(
    server: Server, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.game_archive.INDEX_SECONDS", 0.5)
    earlier = tmp_path / "earlier.pgn"
    tags = {"white": "TrapBot", "black": "Player1", "UTCTime": "10:00:00"}
    fell = f"{LEGAL_MOVES} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    games = [
        game(fell, **tags, Date=day, Site=f"{server.url}/{day[-2:]}abcdef") for day in ("2020.05.01", "2020.05.02")
    ]
    # Of another opponent of hers, which is no game of ours.
    games.append(game(fell, **{**tags, "white": "Anna"}, Date="2020.05.03", Site=f"{server.url}/03abcdef"))
    earlier.write_text("".join(games))
    with open_library(settings.db) as library, threads(1, "judge") as pool:
        index_files(library, [earlier])
        record_losing_moves(library, [earlier], settings, pool)

    def archived(played: str) -> list[int | None]:
        with open_library(settings.db, read_only=True) as library, library.database.read() as connection:
            numbers = connection.scalars(select(GameRow.id).where(GameRow.site == f"{server.url}/{played}")).all()
            return [move.mate_in for _, move in losing_moves_of(connection, numbers)]

    with playing(settings):
        played = challenged(server, Habits(line=(*LEGAL, "Bxf7+", "Ke7", "Nd5#"), think=(0.15, 0.15)))
        until(lambda: ended(server, played))
        until(lambda: len(chat_of(server, played)) == 6)
        # The archive has it for the next time.
        until(lambda: 2 in archived(played))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
    no_violations(server)
    room, text = chat_of(server, played)[-1]
    assert (room, text) == (
        "player",
        "You fell for the same knight mate on d5 as in our game of 2020-05-02, for the third time.",
    )


def test_games_are_indexed_again_and_again(server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.game_archive.INDEX_SECONDS", 0.2)
    with playing(settings) as bot:
        for number in (1, 2):
            game = challenged(server, Habits(line=(*LEGAL, "Bxf7+", "Ke7", "Nd5#")), color="black")
            until(lambda game=game: ended(server, game))  # type: ignore[misc]
            until(lambda number=number: SavedState(settings.bot.folder).bot.stats.get("games") == number)  # type: ignore[misc]
            until(lambda: bot.health()["unindexed_games"] == 0)
    no_violations(server)


def test_games_of_every_kind_are_played_to_the_end(server: Server, settings: Settings) -> None:
    with playing(settings, ()):
        kinds: list[dict[str, Any]] = [{"variant": "chess960"}, {"color": "white", "rated": True, "limit": 30}]
        games = [challenged(server, Habits(offer_draw=0.1), **kind) for kind in kinds]
        for game in games:
            until(lambda game=game: ended(server, game))  # type: ignore[misc]
        until(lambda: len(list((settings.bot.folder / "games").glob("*/*.pgn"))) == 2)
    no_violations(server)


def test_a_game_is_resumed_after_a_restart_and_no_message_is_repeated(server: Server, settings: Settings) -> None:
    habits = Habits(line=LEGAL, think=(0.3, 0.3))
    with playing(settings):
        game = challenged(server, habits)
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 4))
    assert not ended(server, game)
    assert SavedState(settings.bot.folder).unfinished() == [game]
    with playing(settings):
        until(lambda: ended(server, game))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
    no_violations(server)
    lines = chat_of(server, game)
    assert len(lines) == len(set(lines))
    assert sum(text.startswith("Hello") for _, text in lines) == 1


def test_the_killer_of_a_trap_that_was_set_outlives_the_bot(server: Server, settings: Settings) -> None:
    def fill(library: Library) -> None:
        library.add(TrapProver().prove(elephant()))

    habits = Habits(line=(*LEGAL, "Bxf7+", "Ke7", "Nd5#"), think=(0.5, 0.5))
    with playing(settings) as bot:
        game = challenged(server, habits)
        until(lambda: server.do(lambda site: game in site.games))
        # It stops with the move that sets the trap, however slow this machine is.

        def stop(changed: Game) -> None:
            if changed.ply == 9:
                bot.stop(0.0)

        server.do(lambda site: site.games[game].on_change.append(stop))
        until(lambda: server.do(lambda site: site.games[game].ply >= 9))
    assert moves(server, game)[9:] in ([], ["g4d1"])
    # Another library does not know the trap: that it was set in this game is all there is to go by.
    settings.db.unlink()
    create_library(settings.db, fill)
    with playing(settings, ()) as bot:
        until(lambda: ended(server, game))
        assert moves(server, game)[9:] == ["g4d1", "c4f7", "e8e7", "c3d5"]
        assert len(bot.latency_stats.killers) == 2
    no_violations(server)


@pytest.mark.parametrize("color", ["white", "black"])
def test_a_position_for_the_third_time_ends_the_game_without_a_claim(
    server: Server, settings: Settings, color: str
) -> None:
    shuffled = ("Nf3", "Nf6", "Ng1", "Ng8") * 2
    with playing(settings, shuffled):
        game = challenged(server, Habits(line=shuffled), color=color)
        until(lambda: ended(server, game))
        until(lambda: bool(list((settings.bot.folder / "games").glob(f"*/{game}.pgn"))))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
    assert server.do(lambda site: (site.games[game].status, site.games[game].ply)) == ("draw", 8)
    (path,) = (settings.bot.folder / "games").glob(f"*/{game}.pgn")
    assert '[Result "1/2-1/2"]' in path.read_text()
    # The state that tells of the third time says that the game goes on, as lichess's does: a move may be on its way.
    assert server.do(lambda site: {violation.kind for violation in site.record.violations}) <= {"late_move"}


@pytest.mark.parametrize(
    "faults",
    [
        [Fault("cut", where="/game/stream/", after=400)],
        [Fault("end", where="/game/stream/", after=300), Fault("500", where="/game/stream/", times=2)],
        [Fault("half", where="/game/stream/", after=500), Fault("malformed", where="/game/stream/", after=900)],
        [Fault("lost", where="/move/", times=3)],
        [Fault("500", where="/move/", times=3), Fault("502", where="/move/")],
        [Fault("429", where="/move/", times=2), Fault("429-retry", where="/move/", seconds=1)],
        [Fault("duplicate", where="/game/stream/", times=10), Fault("reorder", where="/game/stream/", times=6)],
        [Fault("slow", where="/move/", times=3, seconds=1), Fault("unknown", where="/game/stream/", times=5)],
        [Fault("restart", seconds=1)],
        [Fault("skew", seconds=3000)],
        [Fault("429", where="/chat", times=3), Fault("500", where="/chat", times=3)],
        [Fault("end", where="/game/stream/", after=300), Fault("429", where="/game/stream/")],
        [Fault("401", where="/move/", times=2), Fault("401", where="/chat")],
        [Fault("end", where="/game/stream/", after=300), Fault("401", where="/game/stream/", times=2)],
        [Fault("end", where="/stream/event", after=0), Fault("401", where="/stream/event")],
    ],
    ids=lambda faults: "+".join(fault.kind for fault in faults),
)
def test_no_fault_loses_a_game(server: Server, settings: Settings, faults: list[Fault]) -> None:
    with playing(settings):
        game = challenged(server, Habits(line=LEGAL, think=(0.0, 0.05)), limit=60)
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 2))
        server.order(*faults)
        until(lambda: ended(server, game))
        assert server.do(lambda site: site.games[game].status) == "mate"
    no_violations(server)


def test_takebacks_are_granted_as_often_as_configured(server: Server, settings: Settings) -> None:
    with playing(settings, ()) as bot:
        game = challenged(server, Habits(think=(0.05, 0.05), ask_takeback=0.5))
        until(lambda: bot._saved_state.game(game).takebacks == 2)
        until(lambda: ended(server, game))
    no_violations(server)


def test_a_takeback_that_is_granted_too_late_costs_no_move(server: Server, settings: Settings) -> None:
    # The opponent moves on before our yes is there, takes it for a proposal of ours and grants that at once.
    generous = settings.model_copy(update={"bot": settings.bot.model_copy(update={"takebacks": 8})})
    server.order(Fault("slow", where="/takeback/yes", times=8, seconds=0.25))
    with playing(generous, ()):
        game = challenged(server, Habits(think=(0.05, 0.1), ask_takeback=0.5, accept_takeback=1.0))
        until(lambda: ended(server, game))
    no_violations(server)


def test_a_full_house_lets_challenges_wait_and_declines_what_it_does_not_play(
    server: Server, settings: Settings
) -> None:
    with playing(settings, ()):
        games = [challenged(server, Habits(think=(0.1, 0.1), resign_at=9)) for _ in range(3)]
        slow = challenged(server, days=3, limit=None, increment=None)
        until(lambda: all(ended(server, game) for game in games))
        assert server.do(lambda site: site.challenges[slow].open) is False
        assert server.do(lambda site: slow not in site.games)
    no_violations(server)


def test_an_account_that_is_no_bot_or_a_token_that_may_not_play_is_refused(server: Server) -> None:
    def join(site: Any) -> None:
        site.token(site.join("Human"), "lip_human")
        site.token(site.account("TrapBot"), "lip_reader", ("challenge:read",))

    server.do(join)
    human = Connection(server.url, SecretStr("lip_human"))
    with pytest.raises(UsageError, match="no bot account yet"):
        check_account(human)
    reader = Connection(server.url, SecretStr("lip_reader"))
    with pytest.raises(UsageError, match="lacks the scope bot:play"):
        check_account(reader)


def test_a_token_that_is_revoked_ends_the_bot_after_tests_of_it(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lichess.token_check.TEST_SECONDS", 0.05)
    lichess = Connection(settings.bot.url, SecretStr(SECRET))
    bot = Bot(
        lichess,
        lichess.account(),
        settings,
        SavedState(settings.bot.folder),
        MoveSources(Opening(()), Tablebases([]), 0.05),
    )
    server.do(lambda site: site.tokens.clear())
    with pytest.raises(Unauthorized) as refused:
        bot.run()
    # The unit of systemd does not start it again.
    assert refused.value.exit_code == 8


def test_a_game_that_never_begins_is_aborted(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.game_state.ABORT_SECONDS", 0.5)
    with playing(settings, ()):
        game = challenged(server, Habits(think=(60.0, 60.0)))
        until(lambda: ended(server, game))
        assert server.do(lambda site: site.games[game].status) == "aborted"
    no_violations(server)


def test_a_pupil_on_a_private_server_is_warned_if_he_wants(server: Server, settings: Settings) -> None:
    coaching = settings.model_copy(update={"bot": settings.bot.model_copy(update={"coach": True})})
    with playing(coaching):
        game = challenged(server, Habits(line=LEGAL, think=(0.2, 0.2)))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 2))

        def ask(site: Any) -> None:
            pupil = next(side.account for side in site.games[game].sides.values() if side.account.name != "TrapBot")
            site.games[game].write(pupil, "player", "!Coach on")

        server.do(ask)
        until(lambda: ended(server, game))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
    lines = [text for room, text in chat_of(server, game) if room == "player"]
    assert "I will warn you of traps in this game; !coach off ends it." in lines
    assert "Careful, a trap: Bxd1? is answered by Bxf7+." in lines


def test_without_games_another_bot_is_challenged_as_often_as_allowed(server: Server, settings: Settings) -> None:
    def join(site: Any) -> None:
        Player(site, site.join("OtherBot", "BOT"), Habits(resign_at=6), 1)

    server.do(join)
    changes = {"seek_minutes": 0.005, "seek_games": 1, "seek_clocks": ("1+0",)}
    seeking = settings.model_copy(update={"bot": settings.bot.model_copy(update=changes)})
    with playing(seeking, ()) as bot:
        until(lambda: bool(list((settings.bot.folder / "games").glob("*/*.pgn"))))
        time.sleep(1.0)
        assert len(bot._saved_state.bot.seeks) == 1
    assert len(server.do(lambda site: list(site.games))) == 1
    no_violations(server)


def test_without_the_accounts_stream_challenges_are_played_all_the_same(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.bot.STREAM_SILENT_SECONDS", 0.3)
    monkeypatch.setattr("bot.game_list.LIST_SECONDS", 0.3)
    monkeypatch.setattr("bot.game_list.LIST_OVERDUE_SECONDS", 0.3)
    # As if the budget of openings were used up.
    monkeypatch.setattr("lichess.rate_limits.StreamOpenings.wait", lambda _: 60.0)
    with playing(settings):
        game = challenged(server, Habits(line=LEGAL))
        until(lambda: ended(server, game))
        assert server.do(lambda site: site.record.opens) == []
    no_violations(server)


def test_games_with_traps_become_chapters_of_a_study(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.game_archive.INDEX_SECONDS", 0.3)

    def prepare(site: Any) -> None:
        site.archive.studies["study001"] = Study("study001", "trapbot", "", 0)
        site.token(site.accounts["trapbot"], SECRET, (*BOT_SCOPES, "study:write"))

    server.do(prepare)
    publishing = settings.model_copy(update={"bot": settings.bot.model_copy(update={"studies": ("study001",)})})

    def study() -> str:
        return server.do(lambda site: str(site.archive.studies["study001"].pgn))

    with playing(publishing):
        game = challenged(server, Habits(line=(*LEGAL, "Bxf7+", "Ke7", "Nd5#"), think=(0.1, 0.1)))
        until(lambda: f"({game}-10)" in study())
        until(lambda: list((settings.bot.folder / "chapters").glob("*.json")) == [])
    assert f"TrapBot – Player1 ({game})" in study()
    assert "Falls into" in study()
    no_violations(server)
