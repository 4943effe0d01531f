"""The server by itself: accounts, challenges, the event stream, limits, chat."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_lichess.client import Client, Lines
from tests.fake_lichess.players import Habits
from tests.fake_lichess.terms import Terms
from tests.support.lichess_table import Table, eventually, table

BLITZ = Terms(limit=180, increment=2, color="white")


@pytest.fixture
def laid() -> Iterator[Table]:
    """A table where time stands still."""
    with table() as made:
        yield made


def test_the_event_stream_begins_with_all_there_is_and_is_kept_alive(laid: Table) -> None:
    game, _ = laid.game(BLITZ, name="First")
    made = laid.challenged(laid.opponent(name="Second"), BLITZ)
    with laid.client.lines("/api/stream/event") as events:
        first, second = events.next(), events.next()
        assert (first["type"], first["game"]["gameId"]) == ("gameStart", game.id)
        assert (second["type"], second["challenge"]["id"]) == ("challenge", made.id)
        assert [events.raw() for _ in range(2)] == [b"\n", b"\n"]


def test_a_second_event_stream_closes_the_first(laid: Table) -> None:
    with laid.client.lines("/api/stream/event") as old, laid.client.lines("/api/stream/event") as new:
        assert old.rest() == []
        laid.challenged(laid.opponent(), BLITZ)
        assert new.next()["type"] == "challenge"


def test_the_event_stream_opens_thirty_times_in_ten_minutes(laid: Table) -> None:
    def open_it() -> int:
        with laid.client.lines("/api/stream/event") as events:
            return events.status

    assert [open_it() for _ in range(31)] == [200] * 30 + [429]
    assert laid.wrongs() == ["stream_opens"]
    assert laid.server.site.record.most_opens() == 31
    laid.server.advance(601)
    assert open_it() == 200


def test_a_challenge_expires_and_nobody_says_so(laid: Table) -> None:
    made = laid.challenged(laid.opponent(), BLITZ)
    laid.server.advance(19.9)
    assert made.open
    laid.server.advance(0.2)
    assert laid.client.post(f"/api/challenge/{made.id}/accept").status == 404
    lasting = laid.challenged(laid.opponent(name="Slow"), Terms(limit=None, increment=None, days=2))
    laid.server.advance(1000)
    assert laid.client.post(f"/api/challenge/{lasting.id}/accept").status == 200


@pytest.mark.parametrize(("accept", "said"), [(1.0, "accepted"), (0.0, "declined")])
def test_a_challenge_kept_alive_lives_until_it_is_answered(laid: Table, accept: float, said: str) -> None:
    laid.opponent(Habits(think=(30, 30), accept=accept))
    form = {"clock.limit": 60, "clock.increment": 0, "keepAliveStream": "true"}
    with laid.client.lines("/api/challenge/Human", form) as kept:
        assert kept.next()["status"] == "created"
        laid.server.advance(31)
        assert kept.rest() == [{"done": said}]


def test_a_challenge_kept_alive_dies_with_its_connection(laid: Table) -> None:
    laid.opponent()
    form = {"clock.limit": 60, "clock.increment": 0, "keepAliveStream": "true"}
    with laid.client.lines("/api/challenge/Human", form) as kept:
        made = laid.server.site.challenges[kept.next()["id"]]
    eventually(lambda: made.status == "canceled")


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
def test_a_challenge_that_makes_no_sense_is_refused(laid: Table, form: dict[str, object], why: str) -> None:
    laid.opponent()
    got = laid.client.post("/api/challenge/Human", form)
    assert got.status == 400
    assert why in got.body["error"]


def test_challenges_have_a_limit_a_minute(laid: Table) -> None:
    laid.opponent()
    form = {"clock.limit": 60, "clock.increment": 0}
    assert [laid.client.post("/api/challenge/Human", form).status for _ in range(26)] == [200] * 25 + [429]
    laid.server.advance(61)
    assert laid.client.post("/api/challenge/Human", form).status == 200


def test_bots_play_bots_a_hundred_times_a_day(laid: Table) -> None:
    def played_out(who: str) -> None:
        for _ in range(100):
            laid.server.do(lambda site: site.limits.bot_games.use(who, site.times.now()))

    other = laid.opponent(name="OtherBot", title="BOT")
    played_out(other.account.id)
    got = laid.client.post("/api/challenge/OtherBot", {"clock.limit": 60, "clock.increment": 0})
    assert (got.status, got.body["ratelimit"]["key"]) == (400, "bot.vsBot.day")
    played_out(laid.bot.id)
    got = laid.client.post("/api/challenge/OtherBot", {"clock.limit": 60, "clock.increment": 0})
    assert (got.status, got.body["ratelimit"]["key"]) == (429, "bot.vsBot.day")
    assert 0 < got.body["ratelimit"]["seconds"] <= 86401


def test_who_has_played_cannot_become_a_bot(laid: Table) -> None:
    person = laid.server.do(lambda site: site.token(site.join("Person")))
    client = Client(laid.server.port, person.secret)
    made = laid.server.do(lambda site: site.challenge(laid.bot, person.account, BLITZ))
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


def test_chat_follows_the_rules_and_remembers_who_broke_them(laid: Table) -> None:
    game, player = laid.game(BLITZ)

    def say(text: str, room: str = "player") -> int:
        return laid.client.post(f"/api/bot/game/{game.id}/chat", {"room": room, "text": text}).status

    with laid.stream(game) as lines:
        assert [say("hello"), say("hello", "spectator"), say("see https://example.org/x"), say("y" * 141)] == [
            *(200, 200, 200, 400)
        ]
        assert laid.wrongs() == ["link", "long_message"]
        assert say("hello") == 200
        assert laid.wrongs()[-1] == "repeated_message"
        for text in ("!trap", "!trap", "!why"):
            laid.server.do(lambda _, text=text: game.write(player.account, "player", text))  # type: ignore[misc]
        # The link was dropped without a word, and so was the person's repetition.
        assert chat_lines(lines, 5) == [
            ("player", "TrapBot", "hello"),
            ("spectator", "TrapBot", "hello"),
            ("player", "TrapBot", "hello"),
            ("player", "Human", "!trap"),
            ("player", "Human", "!why"),
        ]
    said = laid.server.site.record.said
    assert [(one.text[:5], one.shown) for one in said] == [
        ("hello", True),
        ("hello", True),
        ("see h", False),
        ("yyyyy", False),
        ("hello", True),
    ]


@pytest.mark.parametrize("allowed", [True, False])
def test_chat_after_the_end_is_an_option_of_the_host(laid: Table, allowed: bool) -> None:
    laid.server.site.manners.chat_after_end = allowed
    game, _ = laid.game(BLITZ)
    laid.client.post(f"/api/bot/game/{game.id}/abort")
    got = laid.client.post(f"/api/bot/game/{game.id}/chat", {"room": "player", "text": "thanks"})
    assert got.status == (200 if allowed else 400)
    assert laid.wrongs() == ([] if allowed else ["message_after_end"])


def test_an_unknown_address_is_remembered(laid: Table) -> None:
    assert laid.client.get("/api/bot/nothing").status == 404
    assert laid.wrongs() == ["unknown_address"]
    assert laid.client.get("/_record").body["wrongs"][0]["detail"] == "GET /api/bot/nothing"


def begin(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fake_lichess", *options],
        cwd=Path(__file__).parents[2],
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
        assert process.wait(10) == 0


def test_a_port_that_is_taken_is_told_of(laid: Table) -> None:
    with begin("--port", str(laid.server.port)) as process:
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"cannot listen on 127.0.0.1:{laid.server.port}" in errors


def test_a_fault_that_does_not_exist_is_told_of() -> None:
    with begin("--port", "0", "--faults", "cut,explode") as process:
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "no such fault: explode" in errors
