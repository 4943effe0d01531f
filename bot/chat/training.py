"""Training on request: a challenge from the position before the bait of a trap, where the person is to move."""

import logging
from collections.abc import Callable

from bot.moves.trap_book import TrapLibrary
from db.wording.names import safe_name
from lichess.api import Color, Lichess, LichessError, Limited, Refused
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

MOST = 3
"""Challenges that may be asked for in the chat of one game."""

CLOCK = 600, 5
"""Initial time and increment of such a game in seconds."""


class Training:
    """Challenges people to positions of traps; requests wait for the answer, so none is made while a clock runs."""

    def __init__(self, lichess: Lichess, pauses: Pauses, traps: TrapLibrary, has_place: Callable[[], bool]) -> None:
        """``has_place`` says whether another game may begin."""
        self._lichess, self._pauses, self._traps, self._has_place = lichess, pauses, traps, has_place

    def challenge(self, who: str, name: str) -> str:
        """Challenge ``who`` to the trap of that name; returns what to answer."""
        if not name:
            return "Ask !train and the name of a trap."
        page = self._traps.find(name)
        if page is None:
            return "I cannot look that up now."
        if not page.hits:
            return "I know no trap of that name."
        if not self._has_place():
            return "I have no free place for a game now."
        if self._pauses.wait(Kind.ANSWER) > 0:
            return "I may not challenge anybody now; ask me again in a minute."
        trap = page.hits[0].trap
        is_white = trap.victim == "white"
        ours: Color = "black" if is_white else "white"
        limit, increment = CLOCK
        try:
            self._lichess.challenge(
                who, rated=False, limit=limit, increment=increment, fen=f"{trap.epd} 0 1", color=ours
            )
        except Limited as error:
            self._pauses.limited(Kind.ANSWER, error)
            return "I may not challenge anybody now; ask me again in a minute."
        except Refused as error:
            log.info("%s cannot be challenged: %s", who, error)
            return "Lichess does not let me challenge you; your settings may forbid it."
        except LichessError as error:
            log.info("the challenge of %s may be lost: %s", who, error)
            return "I could not reach lichess; ask me again."
        side = "White" if is_white else "Black"
        return f"Accept my challenge: {safe_name(trap.name)}, you are {side} to move. Find a move that does not lose."
