"""Lichess's JSON into events: the published examples, what is unknown, and what is broken."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lichess import parse as reading
from lichess.api import (
    Challenge,
    ChallengeGone,
    ChatLine,
    GameFinish,
    GameFull,
    GameStart,
    GameState,
    OpponentGone,
    Person,
)
from tests.support.public_data import DATA, skip_without
from trapcore.io.log_once import OnceLogger

EXAMPLES = DATA / "lichess-api" / "ndjson"
pytestmark = pytest.mark.usefixtures("_nothing_logged")


@pytest.fixture
def _nothing_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_once", OnceLogger(reading.log))


def lines(name: str) -> list[dict[str, Any]]:
    path = EXAMPLES / name
    skip_without(path)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def test_the_published_account_events_are_all_understood(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    kinds = set()
    for line in [*lines("stream-event.ndjson"), *lines("api-stream-event.ndjson")]:
        event = reading.account_event(line, "mary")
        assert event is not None
        kinds.add(type(event))
    assert kinds == {Challenge, ChallengeGone, GameStart, GameFinish}
    assert caplog.messages == []


def test_who_declines_a_challenge_of_ours_and_why() -> None:
    given = {"id": "abcdefgh", "destUser": {"id": "mary", "name": "Mary"}, "declineReason": "Too\nfast."}
    line = {"type": "challengeDeclined", "challenge": given}
    assert reading.account_event(line, "me") == ChallengeGone("abcdefgh", "Mary", "Too\\u000afast.")
    assert reading.account_event(line, "mary") == ChallengeGone("abcdefgh", "", "Too\\u000afast.")


def test_the_published_game_stream(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    full, state, line, gone = (reading.game_event(line, "mary") for line in lines("bot-game-stream.ndjson"))
    assert isinstance(full, GameFull)
    assert (full.info.color, full.info.opponent, full.info.initial) == (
        "black",
        Person("bobby", "Bobby", "", 1751),
        900_000,
    )
    assert full.state.moves == ("d2d3",)
    assert isinstance(state, GameState)
    assert (len(state.moves), state.wtime, state.binc, state.is_over) == (13, 7_598_040, 10_000, False)
    assert line == ChatLine("thibault", "Good luck, have fun", "player")
    assert gone == OpponentGone(True, 8.0)
    assert caplog.messages == []


STATE = {"type": "gameState", "moves": "e2e4", "wtime": 1, "btime": 2, "winc": 0, "binc": 0, "status": "started"}


def test_unknown_types_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(3):
        assert reading.game_event({"type": "newThing", "x": 1}, "me") is None
        assert reading.account_event({"type": "newThing"}, "me") is None
        assert isinstance(reading.game_event({**STATE, "newField": 1}, "me"), GameState)
    assert len(caplog.messages) == 3


@pytest.mark.parametrize(
    "change",
    [{"wtime": "1"}, {"wtime": None}, {"wtime": True}, {"winner": "me"}, {"moves": None, "status": None, "wtime": 1.5}],
)
def test_a_state_of_another_shape_is_an_error(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        reading.game_event({**STATE, **change}, "me")


def test_somebody_elses_game_is_an_error() -> None:
    full = {
        "type": "gameFull", "id": "abcdefgh", "variant": {"key": "standard"}, "white": {"id": "a", "name": "A"},
        "black": {"aiLevel": 3}, "state": STATE,
    }  # fmt: skip
    with pytest.raises(ValueError, match="does not play"):
        reading.game_event(full, "me")
    event = reading.game_event(full, "a")
    assert isinstance(event, GameFull)
    assert event.info.opponent.name == "Stockfish"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(STATE)), inner, max_size=6),
)
kinds = st.sampled_from(
    [
        "gameFull",
        "gameState",
        "chatLine",
        "opponentGone",
        "challenge",
        "challengeCanceled",
        "gameStart",
        "gameFinish",
        "x",
    ]
)
fields = st.sampled_from(
    [
        "id",
        "game",
        "gameId",
        "challenge",
        "state",
        "white",
        "black",
        "variant",
        "clock",
        "moves",
        "room",
        "text",
        "gone",
        "wtime",
    ]
)


@given(kinds, st.dictionaries(fields, values))
def test_no_json_breaks_more_than_its_line(kind: str, content: dict[str, Any]) -> None:
    for read in (reading.account_event, reading.game_event):
        try:
            read({**content, "type": kind}, "me")
        except (ValueError, KeyError, TypeError, AttributeError):
            # What `lichess.client` takes for a broken line.
            continue
