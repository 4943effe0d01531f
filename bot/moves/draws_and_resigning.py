"""Policy for draws and resigning (lichess-bot's ``draw_or_resign``)."""

from collections import deque

import chess

from bot.moves.move_choice import Choice
from bot.settings import GameRules

EARLIEST_PLY = 70
"""No draw is offered before this ply."""

AGREE_PLY = 40
"""No draw is accepted before this ply."""


class DrawResignPolicy:
    """Draws and resigning in one game, by its latest search values."""

    def __init__(self, settings: GameRules) -> None:
        self._settings = settings
        self._values: deque[int] = deque(maxlen=max(settings.offer_draw_moves, settings.resign_moves))
        self._latest: int | None = None
        """The value of the latest choice; None if it was not searched."""
        self._offered = 0

    def resigns(self, choice: Choice) -> bool:
        """Whether to resign instead of playing this choice, whose value is recorded."""
        self._latest = choice.value
        if choice.value is None:
            return False
        self._values.append(choice.value)
        mine = self._settings
        latest = list(self._values)[-mine.resign_moves :]
        return mine.resign and len(latest) == mine.resign_moves and max(latest) <= mine.resign_score

    def offers_draw(self, choice: Choice, board: chess.Board) -> bool:
        """Whether to offer a draw with this move on ``board``; not again for 40 plies.

        Threefold repetition and the fifty-move rule need no claim: lichess ends a bot's game by itself.
        """
        ply = board.ply()
        if not (self._settings.draws and self._settings.offer_draws) or ply < EARLIEST_PLY or choice.trap is not None:
            return False
        latest = list(self._values)[-self._settings.offer_draw_moves :]
        if len(latest) < self._settings.offer_draw_moves or max(map(abs, latest)) > self._settings.offer_draw_score:
            return False
        if self._offered and ply - self._offered < 40:
            return False
        self._offered = ply
        return True

    def accepts_draw(self, ply: int) -> bool:
        """Whether to accept the opponent's offer: yes if our latest choice says that we are not better.

        A choice that was not searched, such as a killer, says nothing, and an earlier one knows no later error.
        """
        if not self._settings.draws or ply < AGREE_PLY or self._latest is None:
            return False
        return self._latest <= self._settings.offer_draw_score
