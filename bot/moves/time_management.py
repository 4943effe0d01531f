"""Thinking time as a function of the clocks. Milliseconds throughout."""

import time
from dataclasses import dataclass

from lichess.api import Color, GameInfo, GameState

MOVES_LEFT = 28
"""Moves among which the remaining time is divided; towards the end the increment and the reserve suffice."""

SHORTEST = 5
"""Least time for a search."""

FIRST_MOVES = 1_000
"""Most time for each side's first move: the clocks do not run yet, and lichess aborts a game that does not begin."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock of the side to move."""

    remaining: int | None
    """None without a clock."""
    increment: int
    ply: int
    """Half-moves played before this one."""


def clock_of(state: GameState, color: Color, elapsed: float, *, has_clock: bool) -> Clock:
    """Clock of ``color``, ``elapsed`` seconds after ``state`` arrived."""
    time, increment = (state.wtime, state.winc) if color == "white" else (state.btime, state.binc)
    runs = len(state.moves) >= 2
    remaining = time - int(1000 * elapsed) * runs
    return Clock(max(0, remaining) if has_clock else None, increment, len(state.moves))


def thinking_time(clock: Clock, lag: float, most: int) -> int:
    """Thinking time for one move, from `SHORTEST` to ``most``.

    ``lag`` is the time that a move takes to lichess and back. At most a fifth of the remaining time is used, so that a
    lost second or two (a broken connection, a restarted server) does not lose the game.
    """
    if clock.remaining is None:
        return max(SHORTEST, most)
    usable = clock.remaining - 2 * lag - min(1_000, clock.remaining // 10)
    share = usable / MOVES_LEFT + 0.7 * clock.increment - lag
    share = min(share, usable / 5)
    if clock.ply < 2:
        share = min(share, FIRST_MOVES)
    return max(SHORTEST, min(int(share), most))


class Lag:
    """Moving average of the time that a move takes to lichess and back."""

    def __init__(self, first: float = 100.0) -> None:
        self.milliseconds = first

    def measured(self, milliseconds: float) -> None:
        """Add one measurement."""
        self.milliseconds += 0.2 * (min(milliseconds, 3_000.0) - self.milliseconds)


def seconds_left(state: GameState, info: GameInfo, received: float) -> float | None:
    """Seconds on our clock in a state that arrived at ``received`` (monotonic seconds); None without a clock."""
    if info.initial is None:
        return None
    left = state.wtime if info.color == "white" else state.btime
    return left / 1000 - (time.monotonic() - received)
