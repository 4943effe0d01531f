"""Which challenges are accepted, and with which reason the others are declined."""

from dataclasses import replace
from typing import Any

import pytest

from bot.challenges import decline_reason, in_order
from bot.lichess import Challenge, DeclineReason, Person
from trapcore.bot_settings import BotSettings

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
