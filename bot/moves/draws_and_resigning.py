"""When a draw is offered or agreed to, and when a game is given up."""

from collections import deque

import chess

from bot.moves.move_choice import Choice
from bot.settings import BotSettings

LEVEL = 15
"""Centipawns either way that count as level,"""

LEVEL_MOVES = 8
"""for so many of our moves on end,"""

EARLIEST_PLY = 70
"""and not before this ply is a draw offered."""

AGREE_PLY = 40
"""Nor is one agreed to before this one."""

LOST = -900
"""Centipawns that are lost,"""

LOST_MOVES = 6
"""for so many of our moves on end."""


class Temper:
    """The mood of one game: its latest values."""

    def __init__(self, settings: BotSettings) -> None:
        self._settings = settings
        self._values: deque[int] = deque(maxlen=max(LEVEL_MOVES, LOST_MOVES))
        self._offered = 0

    def resigns(self, choice: Choice) -> bool:
        """Take a choice into account; whether the game is given up instead."""
        if choice.value is None:
            return False
        self._values.append(choice.value)
        latest = list(self._values)[-LOST_MOVES:]
        return self._settings.resign and len(latest) == LOST_MOVES and max(latest) <= LOST

    def offers_draw(self, choice: Choice, board: chess.Board) -> bool:
        """Whether a draw is offered with this move, which is made on ``board``; not again for 40 plies.

        The same position for the third time and fifty moves without a capture need no claim: lichess ends the game of
        a bot by itself.
        """
        ply = board.ply()
        if not self._settings.draws or ply < EARLIEST_PLY or choice.trap is not None:
            return False
        if len(self._values) < LEVEL_MOVES or max(map(abs, list(self._values)[-LEVEL_MOVES:])) > LEVEL:
            return False
        if self._offered and ply - self._offered < 40:
            return False
        self._offered = ply
        return True

    def accepts_draw(self, ply: int) -> bool:
        """Whether the opponent's offer is agreed to: where we are not better."""
        if not self._settings.draws or ply < AGREE_PLY or not self._values:
            return False
        return self._values[-1] <= LEVEL
