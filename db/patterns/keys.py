"""The levels of a pattern, what a pattern is called, and the token set of a mistake.

A pattern is a group of losing moves that have a key in common. The keys are those of `trapcore.proof.causes`, and each
says by its form which level it is of: ``threat`` is a cause, ``fork:N:KR`` a mechanism, ``fork:N@c7,Ke8`` a place;
``missed-fork:N:KR`` is a fork that the player who lost did not play. So a pattern needs no number and no row of its
own: its members are the rows that have the key, read in any order.
At the fourth level, the position, mistakes are compared by the *similarity of differences*, the measure of
`_native.difference_token_sets`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.storage.losing_rows import LosingMove
from db.traps.terms import Side
from db.wording.causes import MISSED, cause_name, is_theme, mechanism_name, place_name
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from trapcore import _native

COPIES = {"cause": 4, "mechanism": 8, "place": 8}
"""Tokens that a label of each level weighs in the token set of a mistake."""


_PLAIN = ("quiet", "check", "capture")
"""First parts of the keys that describe the killer, and say nothing of what it does."""


class Level(StrEnum):
    """How close the mistakes of a pattern are, the closest last."""

    CAUSE = "cause"
    MECHANISM = "mechanism"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, by the key that its mistakes have in common."""

    key: str

    @property
    def level(self) -> Level:
        """What the form of the key says."""
        return Level.PLACE if "@" in self.key else Level.MECHANISM if ":" in self.key else Level.CAUSE

    def name(self, language: Grammar = ENGLISH, colour: Side = "white") -> str:
        """What it is called: ``knight fork on c7, king on e8``, with the squares of the player who made the mistake."""
        if self.level is Level.PLACE:
            return place_name(self.key, language, colour)
        return (cause_name if self.level is Level.CAUSE else mechanism_name)(self.key, language)

    @property
    def has_name(self) -> bool:
        """Whether there are words for the key; a library may be from anybody."""
        try:
            return bool(self.name())
        except (LookupError, ValueError):
            return False

    @property
    def is_idea(self) -> bool:
        """Whether it says more than what kind of move the killer is, or than that a piece could be taken."""
        return self.key.partition(":")[0] not in _PLAIN and (not self.is_missed or is_theme(self.key))

    @property
    def is_missed(self) -> bool:
        """Whether it is of a line that was not played, and so says nothing of the killer."""
        return self.key.startswith(MISSED)

    def has(self, move: LosingMove) -> bool:
        """Whether a losing move belongs to it."""
        return self in patterns_of(move)


def patterns_of(move: LosingMove) -> tuple[Pattern, ...]:
    """The patterns of a losing move, the closest first; none where nobody has searched for its cause."""
    return tuple(Pattern(key) for key in (move.place, move.mechanism, move.cause) if key)


Labelled = tuple[str, Sequence[str], Sequence[Pattern]]
"""The position before a mistake (FEN), the mistake and the line that punishes it (UCI, two moves or more), and its
patterns."""


def token_sets(mistakes: Iterable[Labelled]) -> list[bytes]:
    """The packed token set of each mistake. Raises `PositionError` and `InputError` for what cannot be played."""
    rows = []
    for fen, line, patterns in mistakes:
        labels = [(f"{each.level} {each.key}", COPIES[each.level]) for each in patterns]
        rows.append((fen, " ".join(line), labels))
    return _native.difference_token_sets(rows)
