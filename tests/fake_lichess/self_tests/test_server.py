"""The server by itself: accounts, challenges, the event stream, limits, chat."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_lichess.http.client import Client, Lines
from tests.fake_lichess.players import Habits
from tests.fake_lichess.terms import Terms
from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.server_with_bot import ServerWithBot, server_with_bot

BLITZ = Terms(limit=180, increment=2, color="white")


@pytest.fixture
def setup() -> Iterator[ServerWithBot]:
    """Server whose time stands still."""
    with server_with_bot() as made:
        yield made


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
    assert setup.server.site.record.most_opens() == 31
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


@pytest.mark.parametrize(("accept", "message"), [(1.0, "accepted"), (0.0, "declined")])
def test_a_challenge_kept_alive_lives_until_it_is_answered(setup: ServerWithBot, accept: float, message: str) -> None:
    setup.opponent(Habits(think=(30, 30), accept=accept))
    form = {"clock.limit": 60, "clock.increment": 0, "keepAliveStream": "true"}
    with setup.client.lines("/api/challenge/Human", form) as kept:
        assert kept.next()["status"] == "created"
        setup.server.advance(31)
        assert kept.rest() == [{"done": message}]


def test_a_challenge_kept_alive_dies_with_its_connection(setup: ServerWithBot) -> None:
    setup.opponent()
    form = {"clock.limit": 60, "clock.increment": 0, "keepAliveStream": "true"}
    with setup.client.lines("/api/challenge/Human", form) as kept:
        made = setup.server.site.challenges[kept.next()["id"]]
    until(lambda: made.status == "canceled")


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"clock.limit": 61, "clock.increment": 0}, "clock.limit"),
        ({"clock.limit": "soon", "clock.increment": 0}, "clock.limit"),
        ({"clock.limit": 0, "clock.increment": 0}, "clock.increment"),
        ({"clock.limit": 15, "clock.increment": 0}, "UltraBullet"),
        ({"days": 4}, "days"),
        ({"variant": "atomic", "clock.limit": 60, "clock.increment": 0}, "variant"),
        ({"variant": "fromPosition", "clock.limit": 60, "clock.increment": 0}, "fen"),
        ({"variant": "chess960", "fen": "8/8/8/8/8/8/8/8 w - - 0 1", "clock.limit": 60, "clock.increment": 0}, "fen"),
        ({"color": "green", "clock.limit": 60, "clock.increment": 0}, "color"),
    ],
)
def test_a_challenge_that_makes_no_sense_is_refused(setup: ServerWithBot, form: dict[str, object], why: str) -> None:
    setup.opponent()
    got = setup.client.post("/api/challenge/Human", form)
    assert got.status == 400
    assert why in got.body["error"]


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


def test_who_has_played_cannot_become_a_bot(setup: ServerWithBot) -> None:
    person = setup.server.do(lambda site: site.token(site.join("Person")))
    client = Client(setup.server.port, person.secret)
    made = setup.server.do(lambda site: site.challenge(setup.bot, person.account, BLITZ))
    assert client.post(f"/api/challenge/{made.id}/accept").status == 200
    got = client.post("/api/bot/account/upgrade")
    assert (got.status, got.body["error"]) == (400, "You already have played games")
    assert "Bot account" in client.post(f"/api/bot/game/{made.id}/abort").body["error"]


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
        # The link was dropped without a word, and so was the person's repetition.
        assert chat_lines(lines, 5) == [
            ("player", "TrapBot", "hello"),
            ("spectator", "TrapBot", "hello"),
            ("player", "TrapBot", "hello"),
            ("player", "Human", "!trap"),
            ("player", "Human", "!why"),
        ]
    message = setup.server.site.record.messages
    assert [(one.text[:5], one.shown) for one in message] == [
        ("hello", True),
        ("hello", True),
        ("see h", False),
        ("yyyyy", False),
        ("hello", True),
    ]


@pytest.mark.parametrize("allowed", [True, False])
def test_chat_after_the_end_is_an_option_of_the_host(setup: ServerWithBot, allowed: bool) -> None:
    setup.server.site.rules.chat_after_end = allowed
    game, _ = setup.game(BLITZ)
    setup.client.post(f"/api/bot/game/{game.id}/abort")
    got = setup.client.post(f"/api/bot/game/{game.id}/chat", {"room": "player", "text": "thanks"})
    assert got.status == (200 if allowed else 400)
    assert setup.violations() == ([] if allowed else ["message_after_end"])


def test_an_unknown_address_is_remembered(setup: ServerWithBot) -> None:
    assert setup.client.get("/api/bot/nothing").status == 404
    assert setup.violations() == ["unknown_address"]
    assert setup.client.get("/_record").body["violations"][-1]["detail"] == "GET /api/bot/nothing"


def begin(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fake_lichess", *options],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_can_be_run_by_hand_and_stops_when_asked() -> None:
    with begin("--port", "0", "--token", "lip_hand", "--opponents", "2", "--clock", "60+0") as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[0]
        client = Client(int(url.rpartition(":")[2]), "lip_hand")
        assert client.get("/api/account").body["username"] == "TrapBot"
        with client.lines("/api/stream/event") as events:
            assert {events.next()["challenge"]["challenger"]["id"] for _ in range(2)} == {"opponent1", "opponent2"}
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0


def test_a_port_that_is_taken_is_told_of(setup: ServerWithBot) -> None:
    with begin("--port", str(setup.server.port)) as process:
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert f"cannot listen on 127.0.0.1:{setup.server.port}" in errors


def test_a_fault_that_does_not_exist_is_told_of() -> None:
    with begin("--port", "0", "--faults", "cut,explode") as process:
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert "no such fault: explode" in errors
