"""What a killer has in common with the one of a known trap: why the two are called alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.similarity.killer_index import Known, Likeness
from db.traps.trap import Trap
from trapcore import _native
from trapcore.ranking.reference.words import describe

TELLING = 5
"""Shared tokens that are named."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What a move has in common with the trap that it is like."""

    here: tuple[str, ...]
    """SAN, from the move on as far as it is known what follows."""
    there: tuple[str, ...]
    """The trap's killer line, SAN."""
    words: tuple[str, ...]
    """The shared tokens that say most, the rarest first."""

    def content(self) -> dict[str, object]:
        """The same for JSON."""
        return {"here": list(self.here), "there": list(self.there), "shared": list(self.words)}


def shared_with(likeness: Likeness, trap: Known | Trap, here: Sequence[str], bag: Iterable[int] | bytes) -> Shared:
    """What a killer shares with the trap's: ``here`` is its line in SAN, ``bag`` its tokens."""
    line = trap.killer_line
    telling = likeness.index.shared(bag, trap.epd, trap.bait, line, TELLING)
    there = _native.sans(trap.epd, (trap.bait, *line))[1:]
    return Shared(tuple(here), tuple(there), tuple(map(describe, telling)))
