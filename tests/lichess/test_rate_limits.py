"""Waiting: back-off, the budget of openings, what a 429 holds up; and how long is thought."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.moves.time_management import FIRST_MOVES, SHORTEST, Clock, Lag, clock_of, thinking_time
from lichess.api import BOT_GAMES_A_DAY, GameState, Limited
from lichess.rate_limits import (
    LIMITED_SECONDS,
    OPENS,
    QUICK_OPENS,
    WINDOW_SECONDS,
    Backoff,
    Kind,
    Pauses,
    StreamOpenings,
)


class Time:
    """A clock that stands until it is told to go."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_backoff_doubles_to_its_most_and_begins_anew() -> None:
    backoff = Backoff(1.0, 60.0, spread=lambda: 1.0)
    assert [backoff.failed() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    backoff.worked()
    assert backoff.failed() == 1.0
    assert Backoff(1.0, 60.0, spread=lambda: 0.0).failed() == 0.5


@given(st.lists(st.floats(0, 120), max_size=200))
def test_openings_never_exceed_their_budget_even_over_restarts(pauses: list[float]) -> None:
    time, stored, opened = Time(), list[float](), list[float]()
    openings = StreamOpenings(stored, time)
    for number, pause in enumerate(pauses):
        time.now += pause
        wait = openings.wait()
        assert 0 <= wait <= WINDOW_SECONDS
        time.now += wait
        stored = openings.opened()
        opened.append(time.now)
        if number % 7 == 0:
            openings = StreamOpenings(stored, time)
    for start in opened:
        assert sum(start <= other < start + WINDOW_SECONDS - 1e-6 for other in opened) <= OPENS


def test_a_clock_that_is_put_back_does_not_keep_the_bot_waiting() -> None:
    time = Time()
    openings = StreamOpenings([], time)
    for _ in range(OPENS):
        openings.opened()
    assert openings.wait() == WINDOW_SECONDS
    time.now -= 500.0
    assert openings.wait() == 0.0


def test_an_opening_that_lichess_never_saw_is_given_back() -> None:
    openings = StreamOpenings([], Time())
    for _ in range(QUICK_OPENS):
        openings.opened()
    assert openings.wait() > 0
    openings.not_opened()
    assert openings.wait() == 0
    assert openings.recent == QUICK_OPENS - 1
    assert StreamOpenings([], Time()).not_opened() == []


def pause_seconds(pauses: Pauses) -> dict[Kind, float]:
    return {pause.kind: pause.seconds for pause in pauses.active()}


def limited(seconds: float | None = None, key: str = "") -> Limited:
    return Limited("too many", seconds, key)


def test_the_general_limit_holds_up_its_kind_and_what_matters_less_but_no_chat() -> None:
    time = Time()
    pauses = Pauses(time)
    assert pauses.limited(Kind.ANSWER, limited(5.0)) == 5.0
    assert pause_seconds(pauses) == {Kind.ANSWER: 5.0, Kind.BOTS: 5.0}
    first = pauses.limited(Kind.MOVE, limited())
    assert 0.2 <= first <= 0.5
    # A game that begins must be found all the same.
    assert pauses.wait(Kind.LISTEN) == first
    assert pauses.wait(Kind.ANSWER) == pauses.wait(Kind.BOTS) == LIMITED_SECONDS
    assert pauses.wait(Kind.CHAT) == 0
    assert 1.0 <= pauses.limited(Kind.LISTEN, limited()) <= 2.0
    for _ in range(10):
        last = pauses.limited(Kind.MOVE, limited())
    assert 4.0 <= last <= 8.0
    pauses.worked(Kind.MOVE)
    time.now += 100
    assert pauses.limited(Kind.MOVE, limited()) <= 0.5
    assert pauses.limited(Kind.MOVE, limited(3.0)) == 3.0


def test_a_success_in_another_game_does_not_end_the_backoff_of_a_refused_move() -> None:
    time = Time()
    pauses = Pauses(time)
    waits = []
    for _ in range(8):
        waits.append(pauses.limited(Kind.MOVE, limited(), "the move in game a"))
        # Others wait briefly, and their success says nothing of the refused move.
        assert round(pauses.wait(Kind.MOVE, "the move in game b"), 6) <= 0.5
        pauses.worked(Kind.MOVE, "the move in game b")
        assert pauses.wait(Kind.MOVE, "the move in game a") == waits[-1]
        time.now += waits[-1]
    assert waits[0] <= 0.5
    assert min(waits[5:]) >= 4.0
    pauses.worked(Kind.MOVE, "the move in game a")
    assert pauses.limited(Kind.MOVE, limited(), "the move in game a") <= 0.5


@pytest.mark.parametrize("kind", [Kind.ANSWER, Kind.BOTS])
def test_the_games_of_a_day_between_bots_concern_bots_alone(kind: Kind) -> None:
    time = Time()
    pauses = Pauses(time)
    assert pauses.limited(kind, limited(27_000.0, BOT_GAMES_A_DAY)) == 27_000.0
    assert pause_seconds(pauses) == {Kind.BOTS: 27_000.0}
    assert [pause.reason for pause in pauses.active()] == ["too many"]
    time.now += 27_000.0
    assert pause_seconds(pauses) == {}


@pytest.mark.parametrize("kind", [Kind.ANSWER, Kind.CHAT])
@pytest.mark.parametrize("seconds", [None, 7.0, 3600.0])
@pytest.mark.parametrize("key", ["", "chat.day"])
def test_people_wait_a_minute_at_most(kind: Kind, seconds: float | None, key: str) -> None:
    pauses = Pauses(Time())
    assert pauses.limited(kind, limited(seconds, key)) == min(seconds or LIMITED_SECONDS, LIMITED_SECONDS)
    for other in (Kind.ANSWER, Kind.CHAT):
        assert pauses.wait(other) <= LIMITED_SECONDS
    assert pauses.wait(Kind.MOVE) == pauses.wait(Kind.LISTEN) == 0


def test_a_named_limit_holds_up_nothing_else() -> None:
    pauses = Pauses(Time())
    pauses.limited(Kind.LISTEN, limited(600.0, "stream.opens"))
    assert pause_seconds(pauses) == {Kind.LISTEN: 600.0}


@given(
    remaining=st.none() | st.integers(0, 10_000_000),
    increment=st.integers(0, 180_000),
    ply=st.integers(0, 600),
    lag=st.floats(0, 5_000),
    most=st.integers(SHORTEST, 60_000),
)
def test_thinking_never_takes_more_than_a_fifth_of_the_clock(
    remaining: int | None, increment: int, ply: int, lag: float, most: int
) -> None:
    found = thinking_time(Clock(remaining, increment, ply), lag, most)
    assert SHORTEST <= found <= most
    if remaining is not None:
        assert found <= max(SHORTEST, remaining / 5)
    else:
        assert found == most
    if remaining is not None and ply < 2:
        assert found <= max(SHORTEST, FIRST_MOVES)


def test_a_whole_game_fits_into_its_clock() -> None:
    for remaining, increment in ((30_000, 0), (60_000, 1_000), (15_000, 0), (600_000, 5_000)):
        left = float(remaining)
        for ply in range(0, 400, 2):
            used = thinking_time(Clock(int(left), increment, ply), 40.0, 15_000)
            left += increment - used - 40.0
            assert left > 0, (remaining, increment, ply)
            if left < 500:
                break


def test_the_clock_runs_from_the_second_move_on() -> None:
    begun = GameState(("e2e4", "e7e5"), 60_000, 50_000, 0, 2_000, "started")
    assert clock_of(begun, "white", 1.5, has_clock=True) == Clock(58_500, 0, 2)
    assert clock_of(begun, "black", 0.0, has_clock=True) == Clock(50_000, 2_000, 2)
    assert clock_of(begun, "white", 100.0, has_clock=True).remaining == 0
    assert clock_of(begun, "white", 1.5, has_clock=False).remaining is None
    first = GameState((), 60_000, 60_000, 0, 0, "started")
    assert clock_of(first, "white", 9.0, has_clock=True).remaining == 60_000


def test_lag_follows_what_is_measured() -> None:
    lag = Lag(100.0)
    for _ in range(40):
        lag.measured(20.0)
    assert 20 <= lag.milliseconds < 21
    lag.measured(1e9)
    assert lag.milliseconds < 700
