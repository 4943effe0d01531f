"""What a bait and its killer look like at first sight: whether the bait tempts, and whether a set is only a threat."""

from functools import lru_cache

from annotator.events import TrapEvent
from trapcore import _native

_SOME = 100
"""Centipawns that an exchange wins at least to count as a win: a pawn."""


def tempts(event: TrapEvent) -> bool:
    """Whether the bait wins material at first sight, by exchanges on its square, or is that of a known trap."""
    return event.known or event.bait in _winning(event.fen)


def is_threat(event: TrapEvent) -> bool:
    """Whether what is set is a plain threat and no trap: the killer would come after any idle move of the victim.

    Whoever ignores a threat to win something has taken a bait, and a known trap is one by its own proof.
    """
    return event.threat and not tempts(event)


def is_recapture(event: TrapEvent) -> bool:
    """Whether the killer takes on the square that the bait went to."""
    return event.killer_line[0][2:4] == event.bait[2:4]


@lru_cache(maxsize=4096)
def _winning(fen: str) -> frozenset[str]:
    """Moves that win something by exchanges."""
    return frozenset(move for move, gain in _native.exchanges(fen) if gain >= _SOME)
