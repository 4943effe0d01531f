"""The real client against a server of our own on loopback: streams that fail, answers that fail, and the token."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from lichess import client as connection
from lichess.api import (
    Challenge,
    DeclineReason,
    GameFull,
    GameStart,
    GameState,
    Lichess,
    LichessError,
    Limited,
    Refused,
    Unauthorized,
    Unreachable,
)
from lichess.client import Connection
from lichess.rate_limits import Backoff
from lichess.streams import StreamCallbacks, StreamReader
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.http.stream import Stream
from tests.fake_lichess.people import Account
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.terms import Terms
from tests.support.polling import until

SECRET = "lip_verysecret"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(keep_alive=0.2) as running:
        running.bot("TrapBot", SECRET)
        yield running


@pytest.fixture
def lichess(server: Server) -> Iterator[Connection]:
    made = Connection(server.url, SecretStr(SECRET), "TrapBot")
    yield made
    made.close()


def challenge(server: Server, **terms: Any) -> str:
    """Somebody challenges the bot; the id."""

    def do(site: Any) -> str:
        name = f"Player{len(site.accounts)}"
        player = Player(site, site.join(name), Habits(), 1)
        return str(player.challenge(site.account("TrapBot"), Terms(**terms)).id)

    return server.do(do)


def test_it_is_what_the_bot_needs(lichess: Connection) -> None:
    needed: Lichess = lichess
    account = needed.account()
    assert (account.id, account.name, account.is_bot) == ("trapbot", "TrapBot", True)
    assert "bot:play" in needed.scopes()
    assert needed.ongoing() == []


def test_a_whole_game_by_hand(server: Server, lichess: Connection) -> None:
    game = challenge(server, color="black")
    events = lichess.events()
    first = next(event for event in events if event is not None)
    assert isinstance(first, Challenge)
    assert (first.id, first.speed, first.limit, first.is_own) == (game, "bullet", 60, False)
    lichess.accept(game)
    started = next(event for event in events if isinstance(event, GameStart))
    assert started.id == game
    stream = lichess.game(game, "trapbot")
    full = next(stream)
    assert isinstance(full, GameFull)
    assert (full.info.color, full.info.me.name, full.state.moves) == ("white", "TrapBot", ())
    lichess.move(game, "e2e4")
    states = (event for event in stream if isinstance(event, GameState))
    assert next(states).moves == ("e2e4",)
    lichess.say(game, "player", "hello")
    lichess.answer_draw(game, accept=False)
    lichess.answer_takeback(game, accept=False)
    assert [running.id for running in lichess.ongoing()] == [game]
    lichess.resign(game)
    assert next(state for state in states if state.is_over).status in ("resign", "aborted")
    assert f"{server.url[:4]}" in lichess.export(game)
    agents = server.do(lambda site: site.record.user_agents)
    assert all(agent.startswith("trapline/") and agent.endswith(" user:TrapBot") for agent in agents)


def test_declining_gives_the_reason(server: Server, lichess: Connection) -> None:
    declined = challenge(server)
    lichess.decline(declined, DeclineReason.TOO_FAST)
    assert server.do(lambda site: site.challenges[declined].open) is False
    with pytest.raises(Refused):
        lichess.accept("nosuchid")


@pytest.mark.parametrize(
    ("fault", "error"),
    [("429", Limited), ("429-retry", Limited), ("500", Unreachable), ("502", Unreachable)],
)
def test_errors_of_requests_are_distinguished(
    server: Server, lichess: Connection, fault: str, error: type[LichessError]
) -> None:
    server.order(Fault(fault, where="/api/account/playing", seconds=7))
    with pytest.raises(error) as caught:
        lichess.ongoing()
    assert SECRET not in f"{caught.value!r} {caught.value}"
    if isinstance(caught.value, Limited):
        assert caught.value.seconds == (7.0 if fault == "429-retry" else None)
    assert lichess.ongoing() == []


def test_a_deed_whose_answer_is_lost_may_have_been_done(server: Server, lichess: Connection) -> None:
    game = challenge(server)
    server.order(Fault("lost", where="/accept"))
    with pytest.raises(Unreachable):
        lichess.accept(game)
    assert [running.id for running in lichess.ongoing()] == [game]


def test_a_wrong_token_is_no_lost_connection(server: Server) -> None:
    stranger = Connection(server.url, SecretStr("lip_wrong"))
    with pytest.raises(Unauthorized):
        stranger.account()
    assert "bot:play" not in stranger.scopes()
    assert Connection(server.url, None).scopes() == frozenset()


def test_a_server_that_is_not_there(server: Server) -> None:
    nowhere = Connection("http://127.0.0.1:9", SecretStr(SECRET))
    with pytest.raises(Unreachable, match="cannot be reached") as caught:
        nowhere.account()
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__
    assert not caught.value.arrived


def test_a_connection_that_breaks_has_arrived(server: Server, lichess: Connection) -> None:
    game = challenge(server)
    server.order(Fault("lost", where="/decline"))
    with pytest.raises(Unreachable) as caught:
        lichess.decline(game, DeclineReason.LATER)
    assert caught.value.arrived


def test_an_opening_that_never_arrived_does_not_count() -> None:
    nowhere = Connection("http://127.0.0.1:9", SecretStr(SECRET))
    opened = not_opened = 0

    def before() -> float:
        nonlocal opened
        opened += 1
        return 0.0

    def forget() -> None:
        nonlocal not_opened
        not_opened += 1

    reader = StreamReader(
        "test",
        nowhere.events,
        StreamCallbacks(lambda *_: None, lambda _: None, before=before, not_opened=forget),
        backoff=Backoff(0.01, 0.01),
        limits=Backoff(0.01, 0.01),
    )
    reader.start()
    until(lambda: not_opened > 2)
    reader.stop()
    reader.join(5)
    assert opened == not_opened > 2


def read_until_broken(lichess: Connection) -> tuple[list[object], LichessError | None]:
    seen: list[object] = []
    try:
        seen.extend(lichess.events())
    except LichessError as error:
        return seen, error
    return seen, None


@pytest.mark.parametrize(
    ("fault", "message"),
    [("cut", ""), ("malformed", "cannot be read"), ("half", "in the middle of a line"), ("end", None)],
)
def test_every_way_a_stream_ends(server: Server, lichess: Connection, fault: str, message: str | None) -> None:
    challenge(server)
    server.order(Fault(fault, where="/api/stream/event"))
    seen, error = read_until_broken(lichess)
    assert not any(isinstance(event, GameStart) for event in seen)
    if message is None:
        assert error is None
    else:
        assert isinstance(error, Unreachable)
        assert message in str(error)
        assert SECRET not in str(error)


def test_a_silent_stream_is_dead(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SILENT_SECONDS", 1.0)
    lichess = Connection(server.url, SecretStr(SECRET))
    server.order(Fault("silence", where="/api/stream/event"))
    began = time.monotonic()
    seen, error = read_until_broken(lichess)
    assert isinstance(error, Unreachable)
    assert time.monotonic() - began < 5
    assert len(seen) < 8


def test_the_stream_of_a_game_that_never_begins_is_broken(
    server: Server, lichess: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FIRST_LINE_SECONDS", 0.1)
    game = challenge(server)
    lichess.accept(game)
    open_game = server.do(lambda site: site.open_game)

    def mute(who: Account, ident: str) -> tuple[Game, Stream]:
        return open_game(who, ident)[0], Stream()

    server.do(lambda site: setattr(site, "open_game", mute))
    with pytest.raises(Unreachable, match="does not begin"):
        list(lichess.game(game, "trapbot"))


def test_what_is_unknown_is_passed_over(server: Server, lichess: Connection) -> None:
    game = challenge(server)
    server.order(Fault("unknown", where="/api/stream/event"))
    events = (event for event in lichess.events() if event is not None)
    found = next(events)
    assert isinstance(found, Challenge)
    assert found.id == game


def test_a_reader_comes_back_after_everything(server: Server, lichess: Connection) -> None:
    found: list[str] = []
    arrived = threading.Event()

    def deliver(event: object, opened: float) -> None:
        if isinstance(event, Challenge):
            found.append(event.id)
            arrived.set()

    refusals: list[Refused] = []
    reader = StreamReader(
        "test",
        lichess.events,
        StreamCallbacks(deliver, refusals.append),
        backoff=Backoff(0.05, 0.2),
        limits=Backoff(0.05, 0.2),
    )
    reader.start()
    try:
        for fault in ("cut", "end", "half", "malformed", "500", "429-retry"):
            server.order(Fault(fault, where="/api/stream/event", seconds=0.1))
            arrived.clear()
            wanted = challenge(server)
            deadline = time.monotonic() + 10
            while wanted not in found and time.monotonic() < deadline:
                arrived.wait(0.1)
            assert wanted in found, fault
    finally:
        reader.stop()
        reader.join(5)
    assert refusals == []


def test_a_reader_that_is_refused_stops(server: Server) -> None:
    stranger = Connection(server.url, SecretStr("lip_wrong"))
    refusals: list[Refused] = []
    reader = StreamReader(
        "test",
        stranger.events,
        StreamCallbacks(lambda *_: None, refusals.append),
        backoff=Backoff(0.05, 0.2),
        limits=Backoff(0.05, 0.2),
    )
    reader.start()
    reader.join(5)
    assert [type(error) for error in refusals] == [Unauthorized]
