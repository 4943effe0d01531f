"""NAG of a move with events: what the move itself costs decides, never the event alone.

=====  =====================================================================================================
``$4``  ``??``: it costs `BLUNDER` or more; by a search alone, if that is likely enough (`CONFIDENT`)
``$2``  ``?``: `MISTAKE` or more
``$6``  ``?!``: `INACCURACY` or more, or a mate is let go, and not only put off
``$1``  ``!``: the only one of three moves or more that does not blunder, where that is hard to see
``$5``  ``!?``: it sets a trap that offers something
=====  =====================================================================================================

Without a measured cost, and where nothing is proved, there is none.
"""

from collections.abc import Sequence

from annotator.comments.threats import has_choice, is_lure, is_plain, takes_with_profit, tempts
from annotator.events import TrapEvent
from db.traps.terms import Event
from db.wording.moves import nag

GOOD, MISTAKEN, BLUNDERED, INTERESTING, DUBIOUS = 1, 2, 4, 5, 6
"""``!``, ``?``, ``??``, ``!?`` and ``?!``."""

BAD = (MISTAKEN, BLUNDERED, DUBIOUS)
"""NAGs that say that a move is none of the good ones."""

_TELL_COST = (Event.FELL, Event.MISSED, Event.SET)
"""Events whose sentences say what the move itself costs."""

_STILL_MATES = 0.005
"""Win chance below which a move that misses a mate has cost none: it mates later."""

JUDGEMENTS = range(1, 7)
"""NAGs that judge a move."""

_SIGNS = ("!", "?", "!!", "??", "!?", "?!")


def sign_beside(nags: Sequence[int], own: str) -> str:
    """The sign that stands behind a move in its game: the one of the game, else ``own``."""
    return next((_SIGNS[each - 1] for each in nags if each in JUDGEMENTS), own)


def glyph(told: Sequence[TrapEvent], events: Sequence[TrapEvent]) -> int | None:
    """The NAG of a move; None if nothing is to be said.

    ``told`` are those of its ``events`` that its comment reports. The comment says what the move costs, so that glyph
    and text agree. That a move was the only good one needs no words.
    """
    proved = [event for event in events if event.proved]
    loss = next((event.played_loss for event in proved if event.played_loss is not None), None)
    if loss is None:
        return None
    # The probability is that of the bait: where the move is the bait it is the move's.
    probability = next((event.own_probability for event in proved if event.event is Event.FELL), None)
    if (judged := nag(loss, probability)) is not None:
        return judged if any(event.proved and event.event in _TELL_COST for event in told) else None
    if any(event.event is Event.MISSED and event.proof.mate_in is not None for event in told):
        return DUBIOUS if loss >= _STILL_MATES else None
    if any(event.only_move and _is_hard_to_see(event) for event in proved):
        return GOOD
    if any(event.proved and event.event is Event.SET and is_lure(event) for event in told):
        return INTERESTING
    return None


def _is_hard_to_see(event: TrapEvent) -> bool:
    """Whether the move leaves a tempting bait alone and takes nothing for it, or is a killer that is not seen at first
    sight; and there is a choice."""
    if not has_choice(event):
        return False
    if event.event is Event.AVOIDED:
        return tempts(event) and not takes_with_profit(event)
    return event.event is Event.SPRUNG and not is_plain(event)
