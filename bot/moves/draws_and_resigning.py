"""Policy for draws and resigning (lichess-bot's ``draw_or_resign``)."""

from collections import deque

import chess

from bot.moves.move_choice import Choice
from bot.settings import BotSettings

LEVEL = 15
"""Value in centipawns up to which a game counts as level, for either side;"""

LEVEL_MOVES = 8
"""this many of our moves in a row must be level,"""

EARLIEST_PLY = 70
"""and no draw is offered before this ply."""

AGREE_PLY = 40
"""No draw is accepted before this ply."""

LOST = -900
"""Value in centipawns from which a game counts as lost;"""

LOST_MOVES = 6
"""this many of our moves in a row must be lost before the bot resigns."""


class DrawResignPolicy:
    """Draws and resigning in one game, by its latest search values."""

    def __init__(self, settings: BotSettings) -> None:
        self._settings = settings
        self._values: deque[int] = deque(maxlen=max(LEVEL_MOVES, LOST_MOVES))
        self._offered = 0

    def resigns(self, choice: Choice) -> bool:
        """Whether to resign instead of playing this choice, whose value is recorded."""
        if choice.value is None:
            return False
        self._values.append(choice.value)
        latest = list(self._values)[-LOST_MOVES:]
        return self._settings.resign and len(latest) == LOST_MOVES and max(latest) <= LOST

    def offers_draw(self, choice: Choice, board: chess.Board) -> bool:
        """Whether to offer a draw with this move on ``board``; not again for 40 plies.

        Threefold repetition and the fifty-move rule need no claim: lichess ends a bot's game by itself.
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
        """Whether to accept the opponent's offer: yes where we are not better."""
        if not self._settings.draws or ply < AGREE_PLY or not self._values:
            return False
        return self._values[-1] <= LEVEL
