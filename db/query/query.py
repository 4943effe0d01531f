"""Conditions of a query for traps, for losing moves or for traps ahead, as a value.

`db.query.engine.QueryEngine` answers the one, `db.query.mistakes.find_mistakes` the other,
`db.query.ahead.traps_ahead` a question for the traps that can still arise. Each condition is declared
here only: its option, its HTTP parameter and its field in the search form are made from this. `db.query.where` has its
SQL.
"""

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated

from db.query.condition import Condition, check
from db.traps.terms import HIGHEST_RATING, SIDES, THEME, Event, Outcome
from trapcore.errors import Message, UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.proof.verdict import Verdict

MOST_HITS = 200
"""Most hits of one page."""
LONGEST_MOVES = 4000
"""Characters of the moves to a position: more than the longest game has before a draw is claimed."""

_ECO = Condition(
    "ECO code, its beginning, or a range: C41, B1, B10-B19.",
    label="ECO code or codes",
    metavar="CODE",
    example="C41, B1, B10-B19",
    pattern=re.compile(r"[A-E](\d\d?)?|([A-E]\d\d)-([A-E]\d\d)", re.IGNORECASE),
)
_LENGTH = Condition("Moves of the attacker in the killer line.", label="Attacker’s moves", least=1, most=1000)
_RATING = Condition("Count only victims of this rating.", label="Rating of the victims", least=0, most=HIGHEST_RATING)
_RATING_OF_MOVER = Condition("Rating of the player who made the move.", least=0, most=HIGHEST_RATING)


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

    fen: Annotated[str | None, Condition("The position before the bait, as FEN or EPD.", metavar="FEN")] = None
    moves: Annotated[
        str | None,
        Condition("The same as moves from the usual start, SAN or UCI.", metavar="MOVES", longest=LONGEST_MOVES),
    ] = None
    similar: Annotated[
        int | None,
        Condition("Add the K most similar traps, 1 to 100. Needs a position.", metavar="K", least=1, most=100),
    ] = None
    unproved: Annotated[bool, Condition("Add similar traps whose killer is not proved to work here.")] = False
    measure: Annotated[IndexedMeasure | None, Condition("Similarity measure. Default: the setting `measure`.")] = None
    min_similarity: Annotated[
        float | None, Condition("Least similarity of the similar traps, 0 to 1.", metavar="SHARE", least=0, most=1)
    ] = None
    name: Annotated[str | None, Condition("Name, family or slug. Typing errors do not matter.")] = None
    family: Annotated[str | None, Condition("Only traps of this family.", label="Family", metavar="WORD")] = None
    eco: Annotated[str | None, _ECO] = None
    opening: Annotated[str | None, Condition("Part of the opening's name.", label="Opening contains")] = None
    victim: Annotated[
        str | None,
        Condition(
            "The side that falls into it.",
            label="Victim",
            choices=SIDES,
            words={"white": "White", "black": "Black"},
            nothing="either side",
        ),
    ] = None
    outcome: Annotated[str | None, Condition("What the attacker gets.", label="Outcome", choices=Outcome)] = None
    verdict: Annotated[str | None, Condition("Only traps with this verdict.", label="Verdict", choices=Verdict)] = None
    source: Annotated[str | None, Condition("Beginning of the source.", label="Source begins with")] = None
    bait: Annotated[str | None, Condition("The bait, SAN or UCI.", label="Bait", metavar="MOVE", example="Bxd1")] = None
    killer: Annotated[
        str | None,
        Condition("First move of the killer line, SAN or UCI.", label="Killer", metavar="MOVE", example="Bxf7+"),
    ] = None
    theme: Annotated[
        str | None,
        Condition(
            "What the killer line does: fork, a knight's fork on c7 (fork:N@c7), a trapped queen (trappedPiece>Q).",
            label="Theme",
            metavar="KEY",
            example="fork, fork:N@c7, trappedPiece>Q",
            pattern=THEME,
        ),
    ] = None
    min_length: Annotated[int | None, _LENGTH] = None
    max_length: Annotated[int | None, _LENGTH] = None
    player: Annotated[
        str | None, Condition("Seen in games of this player. A part of the name is enough.", label="Seen in games of")
    ] = None
    event: Annotated[
        str | None,
        Condition("Seen with this event, in such games or in any.", label="Seen as", choices=Event),
    ] = None
    min_rating: Annotated[int | None, _RATING] = None
    max_rating: Annotated[int | None, _RATING] = None
    min_frequency: Annotated[
        float | None,
        Condition(
            "Least share of those who took the bait, 0 to 1.",
            label="Bait played by at least",
            metavar="SHARE",
            least=0,
            most=1,
            words={"0.05": "1 in 20", "0.1": "1 in 10", "0.25": "1 in 4", "0.5": "1 in 2", "0.75": "3 in 4"},
            nothing="any share",
        ),
    ] = None
    sort: Annotated[
        Sort | None,
        Condition(
            "Order. Default: match for a position or a name, else slug.",
            label="Order",
            words={"name": "by name", "length": "by length", "frequency": "by frequency", "gain": "by gain"},
            nothing="best first",
        ),
    ] = None
    limit: Annotated[int, Condition("Hits of a page, 1 to 200.", metavar="N", least=1, most=MOST_HITS)] = 20
    after: Annotated[
        str | None,
        Condition("The page after this cursor, which the page before named.", metavar="CURSOR", longest=1000),
    ] = None

    def __post_init__(self) -> None:
        """Check what needs no library."""
        check(self)
        if self.fen is not None and self.moves is not None:
            raise UsageError("give a position or the moves that lead to it, not both (fen, moves)")
        for name in ("similar", "measure", "min_similarity", "unproved"):
            if getattr(self, name) not in (None, False) and (self.similar is None or not self.has_position):
                needed = "a position (fen or moves)" if name == "similar" else "similar and a position"
                raise UsageError("{name} needs {needed}", name=Message(name), needed=Message(needed))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeQuery:
    """A question for losing moves; every condition that is given must hold.

    Raises `UsageError` for what cannot be asked.
    """

    like: Annotated[
        str | None,
        Condition(
            "Losing moves most like this move, position or trap.", metavar="GAME#MOVE|FEN|TRAP", example="12#27, 12#14."
        ),
    ] = None
    cause: Annotated[str | None, Condition("Losing moves with this cause: threat, taken, fork, ...", metavar="KEY")] = (
        None
    )
    mechanism: Annotated[str | None, Condition("Losing moves punished by this: a key, or words of its name.")] = None
    place: Annotated[str | None, Condition("Losing moves punished there: a key, or words of its name.")] = None
    player: Annotated[str | None, Condition("Part of the name of the player who made the move.")] = None
    victim: Annotated[str | None, Condition("The side that made the move.", choices=SIDES)] = None
    eco: Annotated[str | None, _ECO] = None
    min_rating: Annotated[int | None, _RATING_OF_MOVER] = None
    max_rating: Annotated[int | None, _RATING_OF_MOVER] = None
    limit: Annotated[int, Condition("Losing moves, 1 to 200.", metavar="N", least=1, most=MOST_HITS)] = 10

    def __post_init__(self) -> None:
        """Check what needs no library."""
        check(self)
        if all(getattr(self, name) is None for name in ("like", "cause", "mechanism", "place")):
            raise UsageError("give one of like, cause, mechanism and place")

    @property
    def is_of_games(self) -> bool:
        """Whether only a move of a game can answer: a bundled pattern has no player and no opening."""
        about = (self.player, self.eco, self.min_rating, self.max_rating)
        return any(each is not None for each in about)


@dataclass(frozen=True, slots=True, kw_only=True)
class AheadQuery:
    """A question for the traps that can still arise; every condition that is given must hold.

    Raises `UsageError` for what cannot be asked.
    """

    start: Annotated[
        str,
        Condition(
            "Traps ahead of this opening, ECO code, FEN or line of moves.",
            flag="--from",
            metavar="OPENING|MOVES|FEN",
            longest=LONGEST_MOVES,
        ),
    ]
    plies: Annotated[
        int, Condition("Traps ahead: at most so many moves of either side away.", metavar="N", least=0, most=100)
    ] = 24
    victim: Annotated[str | None, Condition("The side that the bait tempts.", choices=SIDES)] = None
    min_rating: Annotated[int | None, _RATING] = None
    max_rating: Annotated[int | None, _RATING] = None
    limit: Annotated[int, Condition("Traps ahead, 1 to 200.", metavar="N", least=1, most=MOST_HITS)] = 20

    def __post_init__(self) -> None:
        """Check what needs no library."""
        check(self)
