"""When a player falls into a pattern: in which openings, and how often with little time left."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from db.games.losing_moves import LostMove
from db.games.trap_occurrences import UNNAMED
from trapcore.statistics import deviations, is_above

LITTLE_SECONDS = 30
"""With less than this on the clock a player has little time."""
LEAST = 3
"""With fewer mistakes whose clock is known no share is shown."""
OPENINGS = 3
"""Openings that are shown, each with `IN_OPENING` mistakes or more."""
IN_OPENING = 2


@dataclass(frozen=True, slots=True)
class Part:
    """How many of some mistakes have something in common."""

    count: int
    of: int

    def is_above(self, other: "Part", among: int = 1) -> bool:
        """Whether its share is higher beyond doubt, by intervals that hold for so many such claims together."""
        return is_above((self.count, self.of), (other.count, other.of), deviations(among))

    def to_dict(self) -> dict[str, int]:
        """JSON form."""
        return {"count": self.count, "of": self.of}


@dataclass(frozen=True, slots=True)
class OpeningPart:
    """An opening in which a pattern happens."""

    name: str
    part: Part
    """Of the mistakes of the pattern, those in this opening."""
    is_more: bool
    """The share is higher than among the player's other losing moves, beyond doubt."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When the mistakes of a pattern happen. Counts are facts; only `is_more` and `is_hurried` are claims."""

    openings: tuple[OpeningPart, ...]
    """The most frequent first."""
    hurried: Part
    """Of the mistakes whose clock is known, those with less than `LITTLE_SECONDS` left."""
    is_hurried: bool
    """The share is higher than among the player's other losing moves, beyond doubt."""

    @property
    def shows_clock(self) -> bool:
        """Whether the clock is known for `LEAST` mistakes or more."""
        return self.hurried.of >= LEAST

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        openings = [{"name": each.name, **each.part.to_dict(), "more": each.is_more} for each in self.openings]
        return {"openings": openings, "hurried": self.hurried.to_dict(), "more_hurried": self.is_hurried}


def circumstances_of(moves: Sequence[LostMove], others: Sequence[LostMove]) -> Circumstances:
    """When these mistakes of a player happen, beside his ``others``."""
    counts = Counter(move.opening for move in moves if move.opening != UNNAMED)
    beside = Counter(move.opening for move in others)
    common = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:OPENINGS]
    openings = [
        OpeningPart(name, part := Part(count, len(moves)), part.is_above(Part(beside[name], len(others)), len(counts)))
        for name, count in common
        if count >= IN_OPENING
    ]
    hurried = _hurried(moves)
    return Circumstances(tuple(openings), hurried, hurried.is_above(_hurried(others)))


def _hurried(moves: Sequence[LostMove]) -> Part:
    clocks = [move.move.clock for move in moves if move.move.clock is not None]
    return Part(sum(clock < LITTLE_SECONDS for clock in clocks), len(clocks))
