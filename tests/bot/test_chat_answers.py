"""Questions in the chat get their answers, however and whenever they are asked."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import chess
import pytest

from bot.chat.missed_lines import MissedLines
from bot.chat.replies import Message
from bot.chat.worker import ChatWorker
from bot.saved_state import SavedState
from bot.settings import BotSettings
from lichess.api import ChatLine, LichessError, Limited, Refused, Unauthorized, Unreachable
from lichess.rate_limits import Pauses
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.bot_games import INFO
from tests.support.playing_bot import challenged, chat_of, ended, no_violations, playing
from tests.support.polling import until
from trapline.settings import Settings

SLOW = Habits(think=(600.0, 600.0))
"""An opponent who writes and does not move."""

HELP = "You can ask: "
NAME = "I am TrapBot, "


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.missed_lines.WAITS", (0.1,))
    monkeypatch.setattr("bot.chat.missed_lines.LOOK_SECONDS", 0.05)


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


def test_a_question_from_the_time_without_a_stream_is_answered_in_the_game(server: Server, settings: Settings) -> None:
    with playing(settings, ()):
        game = begun(server)
        # The old stream ends with its next line, and three requests for a new one fail.
        server.order(Fault("end", where="/game/stream/"), Fault("500", where="/game/stream/", times=3))
        until(lambda: server.do(lambda site: not site.games[game].streams))
        write(server, game, "!help")
        until(lambda: answers(server, game, HELP) == 1)
        write(server, game, "!name")
        until(lambda: answers(server, game, NAME) == 1)
        assert not ended(server, game)
        assert answers(server, game, HELP) == 1
    no_violations(server)


def test_a_question_from_the_time_without_a_bot_is_answered_and_no_earlier_one_again(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.worker.REPEAT_SECONDS", 0.0)
    with playing(settings, ()):
        game = begun(server)
        write(server, game, "!help", "well")
        until(lambda: answers(server, game, HELP) == 1)
    write(server, game, "!name")
    with playing(settings, ()):
        until(lambda: answers(server, game, NAME) == 1)
        assert not ended(server, game)
    write(server, game, "!stats")
    server.do(lambda site: resign(site, game))
    with playing(settings, ()):
        until(lambda: answers(server, game, "In ") == 1)
        write(server, game, "hm", "!stats now")
        until(lambda: answers(server, game, "In ") == 2)
    assert [answers(server, game, text) for text in (HELP, NAME)] == [1, 1]
    no_violations(server)


def test_questions_of_the_last_moment_of_a_game_and_of_the_first_after_it(server: Server, settings: Settings) -> None:
    def end(site: Any) -> None:
        played = site.games[game]
        asker = played.sides[chess.BLACK].account
        played.write(asker, "player", "!help")
        resign(site, game)
        played.write(asker, "player", "!name")

    with playing(settings, ()):
        game = begun(server)
        server.do(end)
        until(lambda: answers(server, game, NAME) == 1)
        assert answers(server, game, HELP) == 1
    no_violations(server)


def requested(monkeypatch: pytest.MonkeyPatch, *answers: list[ChatLine] | LichessError, over: bool) -> list[object]:
    """What is found in a chat that lichess answers so, until nothing more is requested; the last entry is its id if the
    game is not followed any more.
    """
    waiting, found, pauses = list(answers), list[object](), Pauses()
    monkeypatch.setattr("bot.chat.missed_lines.OPENED_SECONDS", 0.0)
    monkeypatch.setattr(pauses, "limited", lambda *_: 0.0)

    def chat(game: str) -> list[ChatLine]:
        answer = waiting.pop(0)
        if isinstance(answer, LichessError):
            raise answer
        return answer

    missed = MissedLines(
        cast(Any, SimpleNamespace(chat=chat)), pauses, lambda _, lines: found.append(lines), found.append
    )
    missed.follow(INFO) if over else missed.opened(INFO)
    until(lambda: not missed._games)
    missed.close()
    assert not waiting
    return found


def test_the_last_second_of_two_minutes_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.missed_lines.WAITS", (0.0, 60.0))
    monkeypatch.setattr("bot.chat.missed_lines.ANSWER_SECONDS", 0.2)
    question = ChatLine("You", "!help", "player")
    assert requested(monkeypatch, [], [question], over=True) == [[], [question], INFO.id]


def test_a_chat_that_cannot_be_read_is_requested_again_until_lichess_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.missed_lines.WAITS", (0.0,))
    question = ChatLine("You", "!help", "player")
    failed = Unreachable("502"), Limited("429", None), Unauthorized("401", 401)
    assert requested(monkeypatch, *failed, [question], over=False) == [[question]]
    assert requested(monkeypatch, *failed, Refused("404", 404), over=True) == [INFO.id]
    assert requested(monkeypatch, Refused("404", 404), over=False) == []


@pytest.mark.parametrize(
    ("failures", "sent"),
    [
        # Lichess took none of these for certain.
        ([Unreachable("refused", arrived=False)] * 4, 1),
        ([Limited("429", 0.01), Unauthorized("401", 401)], 1),
        # It may have taken this one, and does not want this one.
        ([Unreachable("502")], 0),
        ([Refused("400", 400)], 0),
        ([Limited("429", 0.01)] * 3, 0),
    ],
    ids=["away", "not now", "perhaps", "no", "never"],
)
def test_a_message_is_sent_again_only_if_it_did_not_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: list[LichessError], sent: int
) -> None:
    monkeypatch.setattr("bot.chat.worker.RETRY_SECONDS", 0.01)
    waiting, said = list(failures), list[str]()

    def say(game: str, room: str, text: str) -> None:
        if waiting and text == "first":
            raise waiting.pop(0)
        said.append(text)

    saved_state, nothing = SavedState(tmp_path), cast(Any, None)
    lichess = cast(Any, SimpleNamespace(say=say))
    worker = ChatWorker(lichess, Pauses(), saved_state, nothing, BotSettings(), "1", lambda: False)
    for text in ("first", "last"):
        worker._say(saved_state.game("abcdefgh"), Message("player", text))
    until(lambda: "last" in said)
    worker.close(5.0)
    assert said == ["first"] * sent + ["last"]
    assert not waiting
