"""Questions in the chat get their answers, however and whenever they are asked."""

from typing import Any

import pytest

from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.playing_bot import challenged, chat_of, ended, no_violations, playing
from tests.support.polling import until
from trapline.settings import Settings

SLOW = Habits(think=(600.0, 600.0))
"""An opponent who writes and does not move."""

HELP = "You can ask: "
NAME = "I am TrapBot, "


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.afterwards.WAITS", (0.1,))
    monkeypatch.setattr("bot.chat.afterwards.LOOK_SECONDS", 0.05)


def begun(server: Server) -> str:
    """A game of three plies, in which it is the opponent's turn for long."""
    game = challenged(server, SLOW)

    def plies() -> int:
        return server.do(lambda site: site.games[game].ply if game in site.games else 0)

    def move(site: Any) -> None:
        board = site.games[game].board
        site.play(site.games[game], board.turn, next(iter(board.legal_moves)))

    until(lambda: plies() == 1)
    server.do(move)
    until(lambda: plies() == 3)
    return game


def resign(site: Any, game: str) -> None:
    """The player whose turn it is resigns."""
    site.games[game].resign(site.games[game].board.turn)


def write(server: Server, game: str, *texts: str, spectator: str = "") -> None:
    """The opponent writes these lines, or a spectator does."""

    def do(site: Any) -> None:
        played = site.games[game]
        people = [side.account for side in played.sides.values() if side.account.name != "TrapBot"]
        author = site.accounts.get(spectator.lower()) or site.join(spectator) if spectator else people[0]
        for text in texts:
            assert played.write(author, "spectator" if spectator else "player", text) is not None

    server.do(do)


def answers(server: Server, game: str, text: str, room: str = "player") -> int:
    """How often the bot has written this in a room."""
    return sum(line_room == room and line.startswith(text) for line_room, line in chat_of(server, game))


def test_a_command_that_is_asked_again_is_answered_again(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.worker.REPEAT_SECONDS", 0.0)
    with playing(settings, ()):
        game = begun(server)
        write(server, game, "!help", "!name", "hello", "are you there?")
        until(lambda: answers(server, game, NAME) == 1)
        write(server, game, "!HELP")
        until(lambda: answers(server, game, HELP) == 2)
        # So it is after the game.
        server.do(lambda site: resign(site, game))
        until(lambda: ended(server, game))
        write(server, game, "!name")
        until(lambda: answers(server, game, NAME) == 2)
    no_violations(server)


def test_the_same_answer_is_not_given_twice_in_a_moment(server: Server, settings: Settings) -> None:
    with playing(settings, ()):
        game = begun(server)
        write(server, game, *(f"!help {number}" for number in range(30)), "!name")
        write(server, game, "!help me", spectator="Fan")
        until(lambda: answers(server, game, NAME) == 1)
        until(lambda: answers(server, game, HELP, "spectator") == 1)
        assert answers(server, game, HELP) == 1
    no_violations(server)


def test_spectators_do_not_use_up_the_answers_of_the_opponent(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.worker.REPEAT_SECONDS", 0.0)
    monkeypatch.setattr("bot.chat.worker.ANSWERS", 5)
    with playing(settings, ()):
        game = begun(server)
        write(server, game, *(f"!help {number}" for number in range(9)), spectator="Fan")
        write(server, game, "!name")
        until(lambda: answers(server, game, NAME) == 1)
        assert answers(server, game, HELP, "spectator") == 5
    no_violations(server)
