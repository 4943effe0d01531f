"""Each ordered fault happens once, where it was ordered."""

import json

import pytest

from tests.fake_lichess.faults import Fault, Faults
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.client import Lines
from tests.fake_lichess.terms import Terms
from tests.support.polling import until
from tests.support.server_with_bot import ServerWithBot

BLITZ = Terms(limit=180, increment=2, color="white")
GAME = "/api/bot/game/stream"


@pytest.fixture
def game(setup: ServerWithBot) -> Game:
    """A game after the first move of either side; the opponent is white."""
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    return game


def raw_until_it_stops(lines: Lines) -> bytes:
    """All that still comes; OSError or HTTPException where the connection breaks instead of ending."""
    found = b""
    while line := lines.raw():
        found += line
    return found


def bytes_until_it_breaks(lines: Lines) -> bytes:
    """Byte for byte, as a line that breaks off gives none of its bytes otherwise."""
    came = b""
    try:
        while byte := lines.some():
            came += byte
    except ConnectionResetError:
        return came
    raise AssertionError("a clean end")


def test_what_was_written_before_the_cut_arrives(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        first = lines.raw()
        setup.server.order(Fault("cut", where=GAME, after=len(first) + 20))
        setup.play(game, "g1f3")
        came = bytes_until_it_breaks(lines)
    assert came.lstrip() == b'{"type": "gameState", "moves": '[: len(came.lstrip())]
    assert len(came) == 20


def test_a_silent_stream_has_no_keep_alive_and_stays_open(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game, patience=1.0) as lines:
        lines.next()
        setup.server.order(Fault("silence", where=GAME))
        with pytest.raises(TimeoutError):
            raw_until_it_stops(lines)
        assert len(game.streams) == 1
    until(lambda: not game.streams)


def test_a_stream_ends_cleanly_in_the_middle_of_a_game(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        lines.next()
        setup.server.order(Fault("end", where=GAME))
        setup.play(game, "g1f3")
        assert lines.rest() == []
    assert not game.over


def test_half_a_line_is_the_last_that_comes(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        lines.next()
        setup.server.order(Fault("half", where=GAME))
        setup.play(game, "g1f3")
        came = raw_until_it_stops(lines).lstrip()
    assert came
    with pytest.raises(json.JSONDecodeError):
        json.loads(came)


def test_a_malformed_line_comes_before_the_good_one(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        lines.next()
        setup.server.order(Fault("malformed", where=GAME))
        setup.play(game, "g1f3")
        with pytest.raises(json.JSONDecodeError):
            lines.next()
        assert lines.next()["moves"] == "e2e4 e7e5 g1f3"


def test_a_line_comes_twice(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        lines.next()
        setup.server.order(Fault("duplicate", where=GAME))
        setup.play(game, "g1f3", "b8c6")
        assert [len(lines.next()["moves"].split()) for _ in range(3)] == [3, 3, 4]


def test_a_line_is_overtaken_by_the_next(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines:
        lines.next()
        setup.server.order(Fault("reorder", where=GAME))
        setup.play(game, "g1f3", "b8c6", "f1c4")
        assert [len(lines.next()["moves"].split()) for _ in range(3)] == [4, 3, 5]
        # With none to overtake it, the line comes late.
        setup.server.order(Fault("reorder", where=GAME))
        setup.play(game, "g8f6")
        assert len(lines.next()["moves"].split()) == 6


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("429-retry", 429), ("401", 401), ("500", 500)])
def test_requests_are_refused_before_they_do_anything(setup: ServerWithBot, game: Game, kind: str, status: int) -> None:
    setup.play(game, "g1f3")
    setup.server.order(Fault(kind, where="/move/", times=2))
    move = f"/api/bot/game/{game.id}/move/b8c6"
    assert setup.client.get("/api/account").status == 200
    assert [setup.client.post(move).status for _ in range(3)] == [status, status, 200]
    assert setup.violations() == []


def test_an_answer_is_lost_after_the_move_was_made(setup: ServerWithBot, game: Game) -> None:
    setup.play(game, "g1f3")
    setup.server.order(Fault("lost", where="/move/"))
    with pytest.raises(ConnectionResetError):
        setup.client.post(f"/api/bot/game/{game.id}/move/b8c6")
    assert game.ply == 4
    assert setup.violations() == []


def test_a_restart_drops_everything_and_keeps_the_state(setup: ServerWithBot, game: Game) -> None:
    with setup.stream(game) as lines, setup.client.lines("/api/stream/event") as events:
        lines.next()
        events.next()
        setup.server.order(Fault("restart", seconds=0.3))
        for broken in (lines, events):
            with pytest.raises(ConnectionResetError):
                raw_until_it_stops(broken)
        with pytest.raises(ConnectionRefusedError):
            setup.client.get("/api/account")
    until(lambda: setup.server._restarting is not None and setup.server._restarting.done())
    with setup.stream(game) as lines:
        assert lines.next()["state"]["moves"] == "e2e4 e7e5"


def test_random_faults_come_at_their_rate_and_the_same_for_the_same_seed() -> None:
    def drawn(seed: int) -> list[str]:
        faults = Faults()
        faults.at_random({"500": 0.1, "slow": 0.2, "cut": 0.9}, seed)
        return [fault.kind if (fault := faults.on_request("/x")) else "" for _ in range(5000)]

    first = drawn(1)
    assert first == drawn(1)
    assert first != drawn(2)
    assert 430 < first.count("500") < 570
    assert 900 < first.count("slow") < 1100
    assert "cut" not in first
