"""What the bot says of its health."""

import pytest

from bot.health import MOST_OPENINGS, SILENT_SECONDS, UNSENT_SECONDS, Condition, metrics, summary
from lichess.rate_limits import Kind, Pause
from trapcore.io.status_server import exposition

HELD = [Pause(Kind.BOTS, 27_000.04, "100 games")]


def test_what_is_held_is_told_and_is_no_fault() -> None:
    assert summary(Condition(silent=3.0, held=HELD, unindexed=2, free_megabytes=5000.4)) == {
        "ok": True,
        "problems": [],
        "silent_seconds": 3.0,
        "unsent_seconds": None,
        "unindexed_games": 2,
        "free_megabytes": 5000,
        "held": [{"requests": "bots", "seconds": 27_000.0, "reason": "100 games"}],
    }


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        (Condition(silent=SILENT_SECONDS), "the account's stream is silent for 60 s"),
        (
            Condition(silent_games={"abcdefgh": SILENT_SECONDS, "other123": 7.0}),
            "the stream of game abcdefgh is silent for 60 s",
        ),
        (
            Condition(unsent={"abcdefgh": UNSENT_SECONDS, "other123": 1.0}),
            "a move in game abcdefgh could not be sent for 20 s",
        ),
        (
            Condition(openings=MOST_OPENINGS),
            "the account's stream was opened 10 times in ten minutes; the connection breaks, or another program has "
            "the same token: lichess ends the older stream",
        ),
        (
            Condition(is_token_doubted=True),
            "lichess has refused the token; the bot tests it and sends nothing meanwhile",
        ),
        (Condition(free_megabytes=100.2), "the disk of the bot's folder has 100 MB left"),
    ],
)
def test_each_thing_that_is_wrong_is_a_problem(condition: Condition, problem: str) -> None:
    found = summary(condition)
    assert (found["ok"], found["problems"]) == (False, [problem])


def test_metrics_count_traps_set_and_fallen_for() -> None:
    spread = {"median": 2.0}
    health = {
        **summary(Condition(silent=3.0, unsent={"x": 1.5}, held=HELD, free_megabytes=7700.0)),
        "games": ["x"],
        "moves": 7,
        "repertoires_complete": False,
        "overhead_ms": spread,
        "killer_ms": {},
    }
    text = exposition(metrics(health, {"games": 5, "set": 4, "fell": 2}))
    for line in (
        "trapline_bot_well 1",
        "trapline_bot_running_games 1",
        "trapline_bot_free_megabytes 7700",
        "trapline_bot_repertoires_complete 0",
        "trapline_bot_unsent_seconds 1.5",
        "trapline_bot_games_total 5",
        "trapline_bot_traps_set_total 4",
        "trapline_bot_traps_fallen_total 2",
        'trapline_bot_overhead_milliseconds{of="median"} 2',
        'trapline_bot_held_seconds{requests="bots"} 27000',
    ):
        assert line in text.splitlines()


def test_health_reports_a_finished_game_that_could_not_be_written() -> None:
    found = summary(Condition(unrecorded={"abcdefgh": "no space left on device"}))
    assert (found["ok"], found["problems"]) == (
        False,
        ["game abcdefgh could not be recorded: no space left on device"],
    )
