"""The owner's control of a running bot: its socket, its commands, and reading the settings again."""

import json
import logging
import os
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.bot import Bot
from bot.control.commands import Commands
from bot.control.local_socket import MOST_CLIENTS, NAME, AnotherBotError, ControlSocket, ask
from bot.control.reload import Reloader
from tests.fake_lichess.archive.stored import Tournament
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.site import BOT_SCOPES
from tests.support.playing_bot import LEGAL, SECRET, challenged, ended, no_violations, playing
from tests.support.polling import until
from trapcore.errors import InputError, OutputError, UsageError
from trapline.commands.bot.play import _control
from trapline.program import app
from trapline.settings import Settings


@contextmanager
def controlled(server: Server, settings: Settings, **given: object) -> Iterator[Bot]:
    """A bot at work that answers its owner. ``given`` are the arguments that its settings are read again with."""
    with playing(settings) as bot:
        # A request that is under way when the server ends would outlive it.
        until(lambda: server.do(lambda site: bool(site.record.opens)))
        reloader = Reloader(bot, settings, lambda: Settings(bot={"folder": settings.bot.folder, **given}))
        with closing(ControlSocket(settings.bot.folder, Commands(bot, reloader).answer)):
            yield bot


def output_of(settings: Settings, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """What `trapline bot ctl` prints."""
    monkeypatch.setenv("TRAPLINE_BOT_FOLDER", str(settings.bot.folder))
    done = CliRunner().invoke(app, ["bot", "ctl", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_status_shows_games_queue_and_arenas_while_a_game_runs(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_game = settings.model_copy(update={"bot": settings.bot.model_copy(update={"max_games": 1})})
    with controlled(server, one_game):
        game = challenged(server, Habits(line=LEGAL, think=(0.4, 0.4)))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 3))
        waiting = challenged(server, rated=False)
        until(lambda: ask(settings.bot.folder, {"command": "status"})["waiting"])
        found = json.loads(output_of(settings, monkeypatch, "status", "--json"))
        assert (found["account"], found["is_well"], found["problems"]) == ("TrapBot", True, [])
        (shown,) = found["games"]
        assert (shown["id"], shown["opponent"]["name"], shown["color"]) == (game, "Player1", "white")
        assert all(0 < seconds <= 180 for seconds in shown["clocks"].values())
        assert [one["id"] for one in found["waiting"]] == [waiting]
        text = output_of(settings, monkeypatch, "status")
        lines = text.splitlines()
        assert lines[0] == f"TrapBot plays on {server.url}; it is well"
        assert re.fullmatch(r"0 repertoires; 0 games wait to be indexed; \d+ MB are free", lines[1])
        assert lines[2] == "1 of 1 games:"
        assert lines[3].startswith(f"  {game}  white against Player1 (")
        assert "1 challenges wait:\n" in text
        assert SECRET not in text + json.dumps(found)
        until(lambda: ended(server, game))
    no_violations(server)


def test_the_owner_challenges_a_player_and_stops_the_bot_after_the_game(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.do(lambda site: Player(site, site.join("Anna"), Habits(resign_at=6), 1))
    with controlled(server, settings) as bot:
        assert "Anna is challenged" in output_of(
            settings, monkeypatch, "challenge", "Anna", "--clock", "1+0", "--color", "white"
        )
        until(lambda: bot.games)
        assert "ends after its games: 1 run" in output_of(settings, monkeypatch, "stop")
        assert "it is stopping" in output_of(settings, monkeypatch, "status")
        with pytest.raises(InputError, match="the bot is stopping"):
            ask(settings.bot.folder, {"command": "reload"})
        until(lambda: server.do(lambda site: all(game.over for game in site.games.values())))
    (played,) = server.do(lambda site: list(site.games.values()))
    assert played.ply >= 5
    no_violations(server)


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"command": "challenge", "name": "a b", "clock": "3+2"}, "'a b' is no name of an account"),
    ({"command": "challenge", "name": "Nobody", "clock": "3"}, "the clock cannot be '3': it must be like 3[+]2"),
    ({"command": "challenge", "name": "Nobody", "clock": "0.25+0"}, "bots may not play so fast"),
    ({"command": "challenge", "name": "Nobody", "clock": "3+2", "color": "red"}, "unknown color 'red'"),
    ({"command": "challenge", "name": "Nobody", "clock": "3+2"}, "404"),
    ({"command": "join", "arena": "x"}, "8 letters at the end of its address"),
    ({"command": "leave", "arena": "abcd1234"}, "the bot plays no arena abcd1234"),
    ({"command": "statsu"}, "did you mean 'status'"),
    ({}, "unknown command ''"),
]


def test_the_log_says_who_declined_a_challenge_of_the_owner_and_why(
    server: Server, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server.do(lambda site: Player(site, site.join("Shy"), Habits(accept=0.0)))
    with controlled(server, settings):
        made = ask(settings.bot.folder, {"command": "challenge", "name": "Shy", "clock": "3+2"})["challenge"]
        reason = "This is not the right time for me, please ask again later."
        until(lambda: f"Shy has declined challenge {made}: {reason}" in caplog.messages)


def test_a_second_bot_does_not_play_in_the_folder_of_a_running_one(server: Server, settings: Settings) -> None:
    with controlled(server, settings) as bot, pytest.raises(AnotherBotError, match="stop it, or set another"):
        _control(bot, Reloader(bot, settings, Settings))


def test_a_file_with_the_name_of_the_socket_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / NAME
    file.write_text("somebody's notes")
    with pytest.raises(InputError, match="is no socket; move it away"):
        ControlSocket(tmp_path, lambda _: {})
    assert file.read_text() == "somebody's notes"


def test_a_command_that_cannot_be_done_is_refused_with_its_reason(server: Server, settings: Settings) -> None:
    with controlled(server, settings):
        for request, message in REFUSED:
            with pytest.raises(InputError, match=message):
                ask(settings.bot.folder, request)


def test_an_arena_is_joined_and_left_by_the_owner(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(site: Any) -> None:
        site.archive.tournaments["abcd1234"] = Tournament("abcd1234", "tournament", [], bots_allowed=True)
        site.token(site.accounts["trapbot"], SECRET, (*BOT_SCOPES, "tournament:write"))

    server.do(prepare)
    with controlled(server, settings):
        output_of(settings, monkeypatch, "join", "abcd1234")
        until(lambda: "arena abcd1234: joined" in output_of(settings, monkeypatch, "status"))
        output_of(settings, monkeypatch, "leave", "abcd1234")
        assert "arena" not in output_of(settings, monkeypatch, "status")
    no_violations(server)


# The socket -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def answering(tmp_path: Path) -> Iterator[Path]:
    with closing(ControlSocket(tmp_path, lambda request: {"heard": request.get("command")})):
        yield tmp_path


def test_only_the_account_of_the_bot_may_connect(answering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (answering / NAME).lstat().st_mode & 0o777 == 0o600
    mine = os.geteuid()
    monkeypatch.setattr("os.geteuid", lambda: mine + 1)
    with pytest.raises(InputError, match="belongs to another account; run this as the account that runs the bot"):
        ask(answering, {"command": "status"})
    with pytest.raises(InputError, match="belongs to another account"):
        ControlSocket(answering, lambda request: {})


def test_a_socket_of_a_dead_bot_is_replaced_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as dead:
        dead.bind(str(tmp_path / NAME))
    with pytest.raises(InputError, match=r"no bot runs in .*; `trapline bot` starts one"):
        ask(tmp_path, {})
    with closing(ControlSocket(tmp_path, lambda request: {"heard": 1})):
        assert ask(tmp_path, {}) == {"heard": 1}
        with pytest.raises(OutputError, match="another bot runs in"):
            ControlSocket(tmp_path, lambda request: {})
        assert ask(tmp_path, {}) == {"heard": 1}
    assert not (tmp_path / NAME).exists()
    with pytest.raises(InputError, match="no bot runs in"):
        ask(tmp_path, {})
    with pytest.raises(InputError, match="no bot runs in"):
        ask(tmp_path / "nowhere", {})


def test_a_folder_with_a_long_name_has_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with closing(ControlSocket(folder, lambda request: {"heard": 1})):
        assert ask(folder, {}) == {"heard": 1}


@pytest.mark.parametrize("sent", [b"", b"{", b"[]\n", b"\xff\n", b"[" * 9000 + b"\n", b"x" * 20_000 + b"\n"])
def test_a_broken_client_disturbs_nobody(answering: Path, sent: bytes) -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as client:
        client.connect(str(answering / NAME))
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        assert json.loads(client.recv(1 << 16))["ok"] is False
    assert ask(answering, {"command": "x"}) == {"heard": "x"}


def test_slow_clients_are_given_up_and_others_are_answered_meanwhile(
    answering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.control.local_socket.CLIENT_SECONDS", 2.0)
    slow = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(MOST_CLIENTS)]
    for client in slow[1:]:
        client.connect(str(answering / NAME))
        client.sendall(b"{")
    assert ask(answering, {"command": "x"}) == {"heard": "x"}

    def clients() -> int:
        return sum(thread.name == "control-client" for thread in threading.enumerate())

    until(lambda: clients() == MOST_CLIENTS - 1)
    slow[0].connect(str(answering / NAME))
    until(lambda: clients() == MOST_CLIENTS)
    with pytest.raises(InputError, match="answers others just now"):
        ask(answering, {"command": "x"})
    began = time.monotonic()
    for client in slow:
        assert b"it takes too long" in client.recv(1 << 16)
        client.close()
    assert time.monotonic() - began < 15
    assert ask(answering, {"command": "x"}) == {"heard": "x"}


def test_an_error_of_the_bot_is_told_as_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def answer(request: Mapping[str, object]) -> Mapping[str, object]:
        raise UsageError("no such thing") if request else ValueError("a bug")

    with closing(ControlSocket(tmp_path, answer)):
        with pytest.raises(InputError, match="no such thing"):
            ask(tmp_path, {"command": "x"})
        with pytest.raises(InputError, match="the bot made an error"):
            ask(tmp_path, {})
    assert "a bug" in caplog.text


# Reading the settings again -------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAPLINE_CONFIG", str(tmp_path / "mine.toml"))
    (tmp_path / "mine.toml").write_text("")
    return tmp_path / "mine.toml"


def test_reload_changes_what_a_running_bot_can_change_and_names_the_rest(
    server: Server, settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    (file.parent / "blocked.txt").write_text("Player2\n")
    with controlled(server, settings, url=server.url, move_seconds=0.03) as bot:
        file.write_text(
            f'nodes = 77\n[bot]\nrepertoire_minutes = 0\nmodes = ["casual"]\ngreeting = "Good day"\nhealth_port = 9\n'
            f'block_lists = ["{file.parent / "blocked.txt"}"]\ntournaments = ["abcd1234"]\n'
        )
        text = output_of(settings, monkeypatch, "reload")
        assert text.startswith("the settings were read again; changed: ")
        for name in ("bot.modes", "bot.greeting", "bot.block_lists", "bot.tournaments", "bot.max_games"):
            assert name in text.partition("these need a restart")[0]
        assert text.endswith("these need a restart: bot.health_port, nodes\n")
        assert text.strip() in caplog.messages
        assert bot.settings.health_port == 0
        game = challenged(server, Habits(line=LEGAL, resign_at=6))
        until(lambda: ended(server, game))
        # By name it is blocked now, whatever its challenge is like.
        blocked = challenged(server)
        until(lambda: server.do(lambda site: site.challenges[blocked].status == "declined"))
        rated = challenged(server, rated=True)
        until(lambda: server.do(lambda site: site.challenges[rated].reason == "casual"))
        said = server.do(lambda site: [line.text for line in site.record.messages if line.game == game])
        assert "Good day" in said
        assert "nothing has changed" not in output_of(settings, monkeypatch, "reload")
    no_violations(server)


BROKEN: list[tuple[str, list[str]]] = [
    (
        "[bot]\nmax_games = 0\nspeeds = [1]\n",
        ["2 settings are wrong:", "(line 2) cannot be 0: ", "(line 3) cannot be 1: "],
    ),
    ('[bot]\nbooks = ["/no/such/book.bin"]\n', ["/no/such/book.bin cannot be opened"]),
    ("[bot\n", ["cannot read the settings"]),
    ('[bot]\ncoach = true\nurl = "https://lichess.org"\n', ["bot.coach cannot be on"]),
]


def test_a_broken_file_leaves_the_old_settings_and_says_so(
    server: Server, settings: Settings, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with controlled(server, settings) as bot:
        before = bot.settings
        for text, messages in BROKEN:
            file.write_text(text)
            with pytest.raises(InputError) as caught:
                ask(settings.bot.folder, {"command": "reload"})
            assert len(caught.value.sentences) == len(messages)
            for message, sentence in zip(messages, caught.value.sentences, strict=True):
                assert message in sentence
                assert f"the old settings stay: {sentence}" in caplog.messages
        assert bot.settings is before
