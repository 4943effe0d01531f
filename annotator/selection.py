"""Filter of the events that are reported: by the side that moved, and whether anything hung on the move."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotator.events import TrapEvent
from db.traps.openings import opening_of
from db.traps.terms import Event
from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, INACCURACY, MISTAKE

_LOST = -0.5
"""Win chance with the best move, 25 %, below which a side stands lost anyway."""


class Side(StrEnum):
    """Side whose moves are reported."""

    WHITE = "white"
    BLACK = "black"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter of moves by who made them; it ignores proofs."""

    side: Side = Side.BOTH
    player: str | None = None
    """Part of a player's name as the White or Black tag has it, in any case; None is everybody."""

    @property
    def is_whole(self) -> bool:
        """Whether the moves of both sides are reported."""
        return self.side is Side.BOTH and self.player is None

    def includes(self, mover: str, tags: Mapping[str, str]) -> bool:
        """Whether a move of ``mover`` (``white`` or ``black``) was made by the side and the player of the filter."""
        if self.side is not Side.BOTH and mover != self.side.value:
            return False
        if self.player is None:
            return True
        # The reader composes the letters of names, and so must be what is searched for.
        wanted = unicodedata.normalize("NFC", self.player).casefold()
        return wanted in tags.get(mover.capitalize(), "").casefold()


def hangs_on(event: TrapEvent) -> bool:
    """Whether anything hung on the bait, so that the event is worth telling.

    Nothing did if it costs less than a mistake, or less than a blunder for a player who stands lost anyway, except a
    missed mate. A player who mates, plays on in the book, or gives something away himself, avoids no bait. A known trap
    is reported if its bait is taken.
    """
    if event.event is Event.AVOIDED:
        is_mistake = event.played_loss is not None and event.played_loss >= INACCURACY
        return not (is_mistake or event.played.endswith("#") or is_book(_after(event.fen, event.played)))
    if event.known or (event.event is Event.MISSED and event.proof.mate_in is not None):
        return True
    if event.before is None or event.after is None:
        return True
    return event.before - event.after >= (MISTAKE if event.before >= _LOST else BLUNDER)


def _after(fen: str, san: str) -> str:
    board = parse_position(fen)
    board.push_san(san)
    return _native.epd(board.fen())


def is_book(epd: str) -> bool:
    """Whether the position has a name in the table of openings."""
    return opening_of([epd]) is not None
