"""Events and answers of lichess with changes: each is read, or refused as what the stream's reader expects."""

import json
from pathlib import Path
from typing import Any

import pytest

from lichess.api import LichessError
from lichess.http import translate_errors
from lichess.parse import account_event, challenge, game_event, game_start
from tests.faults.fuzz.mutations import changed_json
from tests.faults.fuzz.running import corpus, tries

ME = "trapbot"

PLAYER = {"id": ME, "name": "TrapBot", "title": "BOT", "rating": 2000}
STATE = {"type": "gameState", "moves": "e2e4 e7e5", "wtime": 1, "btime": 2, "winc": 0, "binc": 0, "status": "started"}
FULL = {
    "type": "gameFull",
    "id": "abcdefgh",
    "variant": {"key": "standard"},
    "clock": {"initial": 60_000, "increment": 0},
    "speed": "bullet",
    "rated": False,
    "createdAt": 1_700_000_000_000,
    "white": PLAYER,
    "black": {"id": "other", "name": "Other", "rating": 1500},
    "initialFen": "startpos",
    "state": STATE,
}
CHALLENGE = {
    "id": "abcdefgh",
    "challenger": {"id": "other", "name": "Other", "rating": 1500},
    "variant": {"key": "standard"},
    "speed": "blitz",
    "rated": True,
    "timeControl": {"type": "clock", "limit": 300, "increment": 3},
    "rules": ["noAbort"],
}
GAME = {"gameId": "abcdefgh", "isMyTurn": True, "secondsLeft": 5, "speed": "blitz"}
LINES: list[dict[str, Any]] = [
    FULL,
    STATE,
    {"type": "chatLine", "username": "x", "text": "!help", "room": "player"},
    {"type": "opponentGone", "gone": True, "claimWinInSeconds": 5},
    {"type": "challenge", "challenge": CHALLENGE},
    {"type": "challengeDeclined", "challenge": CHALLENGE | {"declineReasonKey": "later"}},
    {"type": "gameStart", "game": GAME},
    {"type": "gameFinish", "game": GAME},
]


def read(line: Any) -> None:
    for reader in (
        lambda: game_event(line, ME),
        lambda: account_event(line, ME),
        lambda: challenge(line, ME),
        lambda: game_start(line),
    ):
        try:
            with translate_errors():
                found = reader()
        except LichessError:
            continue
        ident = str(getattr(found, "id", None) or getattr(getattr(found, "info", None), "id", ""))
        assert "/" not in ident, found
        assert "." not in ident, found


@pytest.mark.parametrize("found", corpus("lichess"), ids=lambda path: path.stem)
def test_what_was_found_once(found: Path) -> None:
    read(json.loads(found.read_text("utf-8")))


def test_the_lines_themselves_are_read() -> None:
    for line in LINES:
        assert game_event(line, ME) or account_event(line, ME)


def test_any_line() -> None:
    for chance in tries():
        for line in LINES:
            read(changed_json(chance, line))
