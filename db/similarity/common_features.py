"""Features that a killer has in common with that of a known trap: why the two are similar."""

from collections.abc import Iterable, Sequence

from db.similarity.explanation import Shared
from db.similarity.killer_index import KillerIndex, KnownTrap
from db.traps.trap import Trap
from trapcore import _native
from trapcore.ranking.token_words import describe

TELLING = 5
"""Shared tokens that are named."""


def shared_with(
    killer_index: KillerIndex, trap: KnownTrap | Trap, here: Sequence[str], tokens: Iterable[int] | bytes
) -> Shared:
    """What a killer shares with the trap's: ``here`` is its line in SAN, ``tokens`` its tokens."""
    line = trap.killer_line
    telling = killer_index.index.shared(tokens, trap.epd, trap.bait, line, TELLING)
    there = _native.sans(trap.epd, (trap.bait, *line))[1:]
    return Shared(tuple(here), tuple(there), tuple(map(describe, telling)))
