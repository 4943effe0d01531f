"""Conditions of a query for traps, as a value; `db.query.engine.QueryEngine` answers it."""

import re
from dataclasses import dataclass, fields
from enum import StrEnum

from db.traps.terms import EVENTS, HIGHEST_RATING, SIDES, Outcome
from trapcore.errors import Message, UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.proof.verdict import Verdict
from trapcore.suggestions import unknown_name

MOST_HITS = 200
"""Most hits of one page."""
MOST_SIMILAR = 100
"""Most similar traps that can be asked for."""
LONGEST_TEXT = 200
"""Characters of a condition that is a text."""
LONGEST_MOVES = 8000
"""Characters of the moves to a position: more than the longest game has before a draw is claimed."""


ECO = re.compile(r"[A-E](\d\d?)?|([A-E]\d\d)-([A-E]\d\d)")
"""How the condition on ECO codes is written."""


class Sort(StrEnum):
    """The order of the hits; those that it calls equal follow by slug."""

    MATCH = "match"
    """Best first: exact, transposed, mirrored, similar by falling similarity; or the best name first."""
    SLUG = "slug"
    NAME = "name"
    """As the database sorts texts."""
    LENGTH = "length"
    """Shortest killer line first."""
    FREQUENCY = "frequency"
    """The bait that most of those who could play it did play first."""
    GAIN = "gain"
    """The dearest bait first; a gain that nobody measured last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question; every condition that is given must hold.

    Raises `UsageError` for conditions that no library can answer. `db.query.engine.QueryEngine.ask` checks what depends
    on the library, such as whether there is such a family, and it reads position, moves and cursor.
    """

    fen: str | None = None
    """The position before the bait, as FEN or EPD."""
    moves: str | None = None
    """The same as moves from the usual start, SAN or UCI."""
    similar: int | None = None
    """Number of most similar traps to add, 1 to `MOST_SIMILAR`; needs a position."""
    unproved: bool = False
    """Adds similar traps whose killer is not proved to work in the position; needs ``similar``."""
    measure: IndexedMeasure | None = None
    """By which they are similar; None: the setting ``measure``."""
    min_similarity: float | None = None
    """Their similarity, 0 to 1."""
    name: str | None = None
    """Name, family or slug of the trap, in any spelling that is near."""
    family: str | None = None
    eco: str | None = None
    """A code (``C41``), the beginning of one (``B1``), or two with a hyphen (``B10-B19``)."""
    opening: str | None = None
    """Part of the opening's name, in any case."""
    victim: str | None = None
    """``white`` or ``black``."""
    outcome: str | None = None
    verdict: str | None = None
    source: str | None = None
    """Part of it, in any case."""
    bait: str | None = None
    """SAN or UCI."""
    killer: str | None = None
    """First move of the killer line, SAN or UCI."""
    min_length: int | None = None
    """Attacker's moves in the killer line, 1 or more."""
    max_length: int | None = None
    player: str | None = None
    """Part of the name of somebody, in any case, in whose games the trap was seen,"""
    event: str | None = None
    """with this event, one of `EVENTS`; alone, in anybody's games."""
    min_rating: int | None = None
    """Of the victim, 0 to `HIGHEST_RATING`: how often the bait was played or avoided is counted in such games only."""
    max_rating: int | None = None
    min_frequency: float | None = None
    """Share of those that played the bait where they could, 0 to 1."""
    sort: Sort | None = None
    """None: by match for a position and a name, otherwise by slug."""
    limit: int = 20
    """Hits of a page, 1 to `MOST_HITS`."""
    after: str | None = None
    """What the page before gave as `Page.next`."""

    def __post_init__(self) -> None:
        """Check what needs no library."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) and not isinstance(value, StrEnum):
                check_text(field.name, value, _LONGEST.get(field.name, LONGEST_TEXT))
        if self.fen is not None and self.moves is not None:
            raise UsageError("give a position or the moves that lead to it, not both (fen, moves)")
        for name in ("similar", "measure", "min_similarity", "unproved"):
            if getattr(self, name) not in (None, False) and (self.similar is None or not self.has_position):
                needed = "a position (fen or moves)" if name == "similar" else "similar and a position"
                raise UsageError("{name} needs {needed}", name=Message(name), needed=Message(needed))
        check_range("similar", self.similar, 1, MOST_SIMILAR)
        check_range("limit", self.limit, 1, MOST_HITS)
        check_range("min_similarity", self.min_similarity, 0, 1)
        check_range("min_frequency", self.min_frequency, 0, 1)
        check_pair("length", self.min_length, self.max_length, 1, 1000)
        check_pair("rating", self.min_rating, self.max_rating, 0, HIGHEST_RATING)
        _check_name("victim", self.victim, SIDES)
        _check_name("outcome", self.outcome, tuple(map(str, Outcome)))
        _check_name("verdict", self.verdict, tuple(map(str, Verdict)))
        _check_name("event", self.event, EVENTS)
        if self.eco is not None and not ECO.fullmatch(self.eco.upper()):
            raise UsageError("eco must be like C41, B1 or B10-B19, not {eco!r}", eco=self.eco)
        if self.sort is Sort.MATCH and not (self.has_position or self.name is not None):
            raise UsageError("sort by match needs a position or a name to match")

    @property
    def has_position(self) -> bool:
        """Whether a position is asked for."""
        return self.fen is not None or self.moves is not None

    @property
    def order(self) -> Sort:
        """The sort in use."""
        if self.sort is not None:
            return self.sort
        return Sort.MATCH if self.has_position or self.name is not None else Sort.SLUG

    def to_dict(self) -> dict[str, object]:
        """JSON form: the conditions that are given, and ``sort`` and ``limit``."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if value is not None} | {"sort": self.order}


_LONGEST = {"moves": LONGEST_MOVES, "after": 1000}


def check_text(name: str, value: str, longest: int) -> None:
    """Raise `UsageError` for a text that is empty, longer than this, or cannot be printed."""
    if not value.strip():
        raise UsageError("{name} is empty; leave it out to ask without it", name=Message(name))
    if len(value) > longest:
        raise UsageError(
            "{name} has {length:,} characters, more than {most:,}", name=Message(name), length=len(value), most=longest
        )
    # Databases refuse the one, terminals and pages the others.
    if any(not letter.isprintable() and letter not in "\t\r\n" for letter in value):
        raise UsageError("{name} has characters that cannot be printed: {text!r}", name=Message(name), text=value)


def check_range(name: str, value: float | None, least: float, most: float) -> None:
    """Raise `UsageError` for a number out of its range; none is in every range."""
    # Not `value < least or value > most`, which lets a NaN through.
    if value is not None and not least <= value <= most:
        raise UsageError(
            "{name} must be {least} to {most}, not {value}", name=Message(name), least=least, most=most, value=value
        )


def check_pair(name: str, low: int | None, high: int | None, least: int, most: int) -> None:
    """Raise `UsageError` for bounds that are out of their range or in the wrong order."""
    check_range(f"min_{name}", low, least, most)
    check_range(f"max_{name}", high, least, most)
    if low is not None and high is not None and low > high:
        raise UsageError("min_{name} is {low}, more than max_{name}, {high}", name=name, low=low, high=high)


def _check_name(what: str, given: str | None, known: tuple[str, ...]) -> None:
    if given is not None and given not in known:
        raise unknown_name(what, given, known)
