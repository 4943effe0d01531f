"""The server by itself: accounts, challenges, the event stream, limits, chat."""

import subprocess
import sys
from pathlib import Path

from tests.fake_lichess.http.client import Client, Lines
from tests.fake_lichess.terms import Terms
from tests.support.polling import PATIENCE_SECONDS
from tests.support.server_with_bot import ServerWithBot

BLITZ = Terms(limit=180, increment=2, color="white")


def test_the_event_stream_begins_with_all_there_is_and_is_kept_alive(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ, name="First")
    made = setup.challenged(setup.opponent(name="Second"), BLITZ)
    with setup.client.lines("/api/stream/event") as events:
        first, second = events.next(), events.next()
        assert (first["type"], first["game"]["gameId"]) == ("gameStart", game.id)
        assert (second["type"], second["challenge"]["id"]) == ("challenge", made.id)
        assert [events.raw() for _ in range(2)] == [b"\n", b"\n"]


def test_a_second_event_stream_closes_the_first(setup: ServerWithBot) -> None:
    with setup.client.lines("/api/stream/event") as old, setup.client.lines("/api/stream/event") as new:
        assert old.rest() == []
        setup.challenged(setup.opponent(), BLITZ)
        assert new.next()["type"] == "challenge"


def test_the_event_stream_opens_thirty_times_in_ten_minutes(setup: ServerWithBot) -> None:
    def open_it() -> int:
        with setup.client.lines("/api/stream/event") as events:
            return events.status

    assert [open_it() for _ in range(31)] == [200] * 30 + [429]
    assert setup.violations() == ["stream_opens"]
    setup.server.advance(601)
    assert open_it() == 200


def test_a_challenge_expires_and_nobody_says_so(setup: ServerWithBot) -> None:
    made = setup.challenged(setup.opponent(), BLITZ)
    setup.server.advance(19.9)
    assert made.open
    setup.server.advance(0.2)
    assert setup.client.post(f"/api/challenge/{made.id}/accept").status == 404
    lasting = setup.challenged(setup.opponent(name="Slow"), Terms(limit=None, increment=None, days=2))
    setup.server.advance(1000)
    assert setup.client.post(f"/api/challenge/{lasting.id}/accept").status == 200


def test_challenges_have_a_limit_a_minute(setup: ServerWithBot) -> None:
    setup.opponent()
    form = {"clock.limit": 60, "clock.increment": 0}
    assert [setup.client.post("/api/challenge/Human", form).status for _ in range(26)] == [200] * 25 + [429]
    setup.server.advance(61)
    assert setup.client.post("/api/challenge/Human", form).status == 200


def test_bots_play_bots_a_hundred_times_a_day(setup: ServerWithBot) -> None:
    def played_out(who: str) -> None:
        for _ in range(100):
            setup.server.do(lambda site: site.limits.bot_games.use(who, site.clock.now()))

    other = setup.opponent(name="OtherBot", title="BOT")
    played_out(other.account.id)
    got = setup.client.post("/api/challenge/OtherBot", {"clock.limit": 60, "clock.increment": 0})
    assert (got.status, got.body["ratelimit"]["key"]) == (400, "bot.vsBot.day")
    played_out(setup.bot.id)
    got = setup.client.post("/api/challenge/OtherBot", {"clock.limit": 60, "clock.increment": 0})
    assert (got.status, got.body["ratelimit"]["key"]) == (429, "bot.vsBot.day")
    assert 0 < got.body["ratelimit"]["seconds"] <= 86401


def chat_lines(lines: Lines, count: int) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    while len(found) < count:
        event = lines.next()
        if event["type"] == "chatLine":
            found.append((event["room"], event["username"], event["text"]))
    return found


def test_chat_follows_the_rules_and_remembers_who_broke_them(setup: ServerWithBot) -> None:
    game, player = setup.game(BLITZ)

    def say(text: str, room: str = "player") -> int:
        return setup.client.post(f"/api/bot/game/{game.id}/chat", {"room": room, "text": text}).status

    with setup.stream(game) as lines:
        assert [say("hello"), say("hello", "spectator"), say("see https://example.org/x"), say("y" * 141)] == [
            *(200, 200, 200, 400)
        ]
        assert setup.violations() == ["link", "long_message"]
        assert say("hello") == 200
        assert setup.violations()[-1] == "repeated_message"
        for text in ("!trap", "!trap", "!why"):
            setup.server.do(lambda _, text=text: game.write(player.account, "player", text))  # type: ignore[misc]
        # Two lines of a person allow to say one thing twice.
        assert [say(text) for text in ("answer", "answer")] == [200, 200]
        assert setup.violations()[3:] == []
        assert say("answer") == 200
        assert setup.violations()[3:] == ["repeated_message"]
        # The link was dropped without a word, and so was the person's repetition.
        assert chat_lines(lines, 8) == [
            ("player", "TrapBot", "hello"),
            ("spectator", "TrapBot", "hello"),
            ("player", "TrapBot", "hello"),
            ("player", "Human", "!trap"),
            ("player", "Human", "!why"),
            *[("player", "TrapBot", "answer")] * 3,
        ]


def test_an_unknown_address_is_remembered(setup: ServerWithBot) -> None:
    assert setup.client.get("/api/bot/nothing").status == 404
    assert setup.violations() == ["unknown_address"]


def test_it_can_be_run_by_hand_and_stops_when_asked() -> None:
    options = ["--port", "0", "--token", "lip_hand", "--opponents", "2", "--clock", "60+0"]
    command = [sys.executable, "-m", "tests.fake_lichess", *options]
    with subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[0]
        client = Client(int(url.rpartition(":")[2]), "lip_hand")
        assert client.get("/api/account").body["username"] == "TrapBot"
        with client.lines("/api/stream/event") as events:
            assert {events.next()["challenge"]["challenger"]["id"] for _ in range(2)} == {"opponent1", "opponent2"}
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
