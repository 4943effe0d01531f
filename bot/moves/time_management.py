"""How long to think: a function of the clocks. Milliseconds throughout."""

from dataclasses import dataclass

from lichess.api import Color, GameState

MOVES_LEFT = 28
"""So many moves the time is shared among; with fewer left on the board the increment and the reserve suffice."""

SHORTEST = 5
"""Milliseconds a search gets even if there is no time."""

FIRST_MOVES = 1_000
"""Most for each side's first move: lichess does not run the clocks yet, and aborts a game that does not begin."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What the side to move has."""

    remaining: int | None
    """None without a clock."""
    increment: int
    ply: int
    """Half-moves played before this one."""


def clock_of(state: GameState, color: Color, elapsed: float, *, has_clock: bool) -> Clock:
    """The clock of ``color`` so many seconds after ``state`` came in."""
    time, increment = (state.wtime, state.winc) if color == "white" else (state.btime, state.binc)
    runs = len(state.moves) >= 2
    remaining = time - int(1000 * elapsed) * runs
    return Clock(max(0, remaining) if has_clock else None, increment, len(state.moves))


def thinking_time(clock: Clock, lag: float, most: int) -> int:
    """Milliseconds for the whole decision, from `SHORTEST` to ``most``.

    ``lag`` is what a move costs on the way to lichess. A fifth of what is left is never exceeded, so that a lost
    second or two (a broken connection, a server that restarts) does not lose the game.
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
    """Milliseconds that a move takes to lichess and back, as measured, in a moving average; old outliers fade."""

    def __init__(self, first: float = 100.0) -> None:
        self.milliseconds = first

    def measured(self, milliseconds: float) -> None:
        """Take one more move into account."""
        self.milliseconds += 0.2 * (min(milliseconds, 3_000.0) - self.milliseconds)
