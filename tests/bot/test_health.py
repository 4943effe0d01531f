"""What the bot says of its health."""

import pytest

from bot.health import SILENT_SECONDS, UNSENT_SECONDS, metrics, summary
from lichess.rate_limits import Kind, Pause
from trapcore.io.status_server import exposition

HELD = [Pause(Kind.BOTS, 27_000.04, "100 games")]


def test_what_is_held_is_told_and_is_no_fault() -> None:
    assert summary(3.0, {}, HELD, {}) == {
        "ok": True,
        "problems": [],
        "silent_seconds": 3.0,
        "unsent_seconds": None,
        "held": [{"requests": "bots", "seconds": 27_000.0, "reason": "100 games"}],
    }


@pytest.mark.parametrize(
    ("silent", "unsent", "problem"),
    [
        (SILENT_SECONDS, {}, "the account's stream is silent for 60 s"),
        (0.0, {"abcdefgh": UNSENT_SECONDS, "other123": 1.0}, "a move in game abcdefgh could not be sent for 20 s"),
    ],
)
def test_a_silent_stream_and_a_move_that_cannot_be_sent_are_problems(
    silent: float, unsent: dict[str, float], problem: str
) -> None:
    found = summary(silent, unsent, [], {})
    assert (found["ok"], found["problems"]) == (False, [problem])


def test_metrics_count_traps_set_and_fallen_for() -> None:
    spread = {"median": 2.0}
    health = {**summary(3.0, {"x": 1.5}, HELD, {}), "games": ["x"], "moves": 7, "overhead_ms": spread, "killer_ms": {}}
    text = exposition(metrics(health, {"games": 5, "set": 4, "fell": 2}))
    for line in (
        "trapline_bot_well 1",
        "trapline_bot_running_games 1",
        "trapline_bot_unsent_seconds 1.5",
        "trapline_bot_games_total 5",
        "trapline_bot_traps_set_total 4",
        "trapline_bot_traps_fallen_total 2",
        'trapline_bot_overhead_milliseconds{of="median"} 2',
        'trapline_bot_held_seconds{requests="bots"} 27000',
    ):
        assert line in text.splitlines()


def test_health_reports_a_finished_game_that_could_not_be_written() -> None:
    found = summary(0.0, {}, [], {"abcdefgh": "no space left on device"})
    assert (found["ok"], found["problems"]) == (
        False,
        ["game abcdefgh could not be recorded: no space left on device"],
    )
