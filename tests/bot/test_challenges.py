"""Which challenges are accepted, and with which reason the others are declined."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.challenges.queue import ChallengeQueue
from bot.challenges.rules import decline_reason, in_order
from bot.settings import BotSettings, Speed
from lichess.api import Challenge, DeclineReason, Person
from lichess.client import Connection
from lichess.rate_limits import LIMITED_SECONDS, Kind, Pauses

HUMAN = Person("anna", "Anna", "", 1500)
MACHINE = Person("engine", "Engine", "BOT", 2500)
CHALLENGE = Challenge("aaaaaaaa", HUMAN, "standard", "blitz", True, 180, 2, None)


@pytest.mark.parametrize(
    ("change", "settings", "reason"),
    [
        ({}, {}, None),
        ({"challenger": MACHINE}, {}, None),
        ({"challenger": MACHINE}, {"bots": False}, DeclineReason.NO_BOT),
        ({"variant": "chess960"}, {}, None),
        ({"variant": "chess960"}, {"variants": ["standard"]}, DeclineReason.STANDARD),
        ({"variant": "atomic"}, {}, DeclineReason.VARIANT),
        ({"variant": "fromPosition"}, {"variants": ["fromPosition"]}, None),
        ({"speed": "ultraBullet"}, {}, DeclineReason.TOO_FAST),
        ({"speed": "bullet"}, {"speeds": ["rapid"]}, DeclineReason.TOO_FAST),
        ({"speed": "correspondence"}, {}, DeclineReason.TOO_SLOW),
        ({"speed": "blitz"}, {"speeds": ["bullet", "rapid"]}, DeclineReason.TIME_CONTROL),
        ({"rated": True}, {"modes": ["casual"]}, DeclineReason.CASUAL),
        ({"rated": False}, {"modes": ["rated"]}, DeclineReason.RATED),
        ({}, {"min_rating": 1600}, DeclineReason.GENERIC),
        ({}, {"max_rating": 1400}, DeclineReason.GENERIC),
        ({}, {"block": ["ANNA"]}, DeclineReason.GENERIC),
        ({}, {"allow": ["berta"]}, DeclineReason.GENERIC),
        ({}, {"allow": ["Anna"]}, None),
        ({"rules": ("noAbort",)}, {}, DeclineReason.GENERIC),
        ({"rules": ("noRematch",)}, {}, None),
        ({"challenger": replace(HUMAN, rating=None)}, {"min_rating": 1600}, None),
    ],
)
def test_reasons(change: dict[str, Any], settings: dict[str, Any], reason: DeclineReason | None) -> None:
    assert decline_reason(replace(CHALLENGE, **change), BotSettings(**settings)) is reason


def test_humans_come_first_then_who_came_first() -> None:
    machine = replace(CHALLENGE, id="m", challenger=MACHINE)
    first, second = replace(CHALLENGE, id="a"), replace(CHALLENGE, id="b")
    assert [challenge.id for challenge in in_order([machine, first, second])] == ["a", "b", "m"]


class Counted(Executor):
    """Counts what it is given to do, and does not do it."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        self.count += 1
        return Future()


def test_challenges_that_lichess_dropped_during_a_pause_are_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses, requests = Pauses(lambda: now), Counted()
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    settings = BotSettings(speeds=(Speed.BLITZ, Speed.CORRESPONDENCE))
    challenges = ChallengeQueue(nowhere, pauses, settings, requests, lambda done: done(), lambda game: None)
    pauses.limited(Kind.CHALLENGE, None)
    challenges.challenged(CHALLENGE)
    challenges.challenged(replace(CHALLENGE, id="of days", limit=None, increment=0, days=2, speed="correspondence"))
    challenges.turn(())
    assert (requests.count, challenges.waiting) == (0, 2)
    now += LIMITED_SECONDS
    challenges.challenged(replace(CHALLENGE, id="new"))
    challenges.turn(())
    assert (requests.count, challenges.expected, challenges.waiting) == (2, 2, 0)
    nowhere.close()
