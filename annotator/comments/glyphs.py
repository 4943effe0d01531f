"""NAG of a move with events: what the move itself costs decides, never the event alone.

=====  =====================================================================================================
``$4``  ``??``: it costs `BLUNDER` or more
``$2``  ``?``: `MISTAKE` or more
``$6``  ``?!``: `INACCURACY` or more
``$1``  ``!``: the only move that does not blunder, where that is hard to see
``$5``  ``!?``: it sets a trap that is more than a threat
=====  =====================================================================================================

Without a measured cost, and where nothing is proved, there is none.
"""

from collections.abc import Sequence

from annotator.comments.threats import is_recapture, is_threat, tempts
from annotator.events import TrapEvent
from db.traps.terms import Event
from trapcore.proof.search import BLUNDER, INACCURACY, MISTAKE

GOOD, MISTAKEN, BLUNDERED, INTERESTING, DUBIOUS = 1, 2, 4, 5, 6
"""``!``, ``?``, ``??``, ``!?`` and ``?!``."""

JUDGEMENTS = range(1, 7)
"""NAGs that judge a move."""

_SIGNS: dict[int | None, str] = {BLUNDERED: "??", MISTAKEN: "?", DUBIOUS: "?!", None: ""}


def glyph(events: Sequence[TrapEvent]) -> int | None:
    """The NAG of the move that carries all these events; None if nothing is to be said."""
    proved = [event for event in events if event.proved]
    loss = next((event.played_loss for event in proved if event.played_loss is not None), None)
    if loss is None:
        return None
    if (judgement := _judgement(loss)) is not None:
        return judgement
    if any(event.only_move and _is_hard_to_see(event) for event in proved):
        return GOOD
    if any(event.event is Event.SET and not is_threat(event) for event in proved):
        return INTERESTING
    return None


def sign(loss: float | None) -> str:
    """``??``, ``?``, ``?!`` or nothing: what stands behind a move that costs ``loss`` (0..2, None if not measured)."""
    return "" if loss is None else _SIGNS[_judgement(loss)]


def _judgement(loss: float) -> int | None:
    if loss >= BLUNDER:
        return BLUNDERED
    if loss >= MISTAKE:
        return MISTAKEN
    return DUBIOUS if loss >= INACCURACY else None


def _is_hard_to_see(event: TrapEvent) -> bool:
    """Whether the move leaves a tempting bait alone, or is a killer that does not simply take back."""
    if event.event is Event.AVOIDED:
        return tempts(event)
    return event.event is Event.SPRUNG and not is_recapture(event)
