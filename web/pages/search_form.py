"""What people write into the search box and its filters, as a `db.query.query.Query`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import chess

from db.query.query import Query, Sort
from db.traps.trap import read_moves
from trapcore.errors import InputError, UsageError

HITS = 12
"""Of a page, and so many similar traps for a position."""

FILTERS = {
    "family": str,
    "opening": str,
    "eco": str,
    "victim": str,
    "outcome": str,
    "verdict": str,
    "min_length": int,
    "max_length": int,
    "bait": str,
    "killer": str,
    "player": str,
    "event": str,
    "min_rating": int,
    "max_rating": int,
    "min_frequency": float,
    "source": str,
}
"""The fields of the form beside the box, as a `Query` calls them."""

_WORDS = {
    "min_length": "the least length",
    "max_length": "the greatest length",
    "min_rating": "the least rating",
    "max_rating": "the greatest rating",
    "min_frequency": "the share",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The form as it was sent, to be shown again whatever is wrong with it."""

    q: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Asked":
        """From the arguments of an address; unknown ones are passed over, as browsers and mailers add some."""
        names = (*FILTERS, "sort")
        return cls(given.get("q", "").strip(), {name: given.get(name, "").strip() for name in names})

    def __getitem__(self, name: str) -> str:
        """For templates: ``asked.family``."""
        return self.fields[name]

    @property
    def filtered(self) -> bool:
        """Whether anything but the box was filled in."""
        return any(self.fields.values())

    @property
    def kind(self) -> str:
        """What the box holds: ``position``, ``moves`` or ``name``."""
        return kind_of(self.q)

    def given(self) -> dict[str, str]:
        """The arguments that say something."""
        return {name: text for name, text in {"q": self.q, **self.fields}.items() if text}

    def query(self, after: str | None) -> Query:
        """The question. Raises `UsageError` for what cannot be asked."""
        asked: dict[str, object] = {}
        for name, kind in FILTERS.items():
            if text := self.fields[name]:
                asked[name] = _number(name, text, kind) if kind is not str else text
        if self.q:
            asked[{"position": "fen", "moves": "moves", "name": "text"}[self.kind]] = self.q
            if self.kind != "name":
                asked["similar"] = HITS
        if text := self.fields["sort"]:
            if text not in tuple(Sort):
                raise UsageError(f"the order {text!r} is none of {', '.join(Sort)}")
            asked["sort"] = Sort(text)
        return Query(**asked, limit=HITS, after=after)  # type: ignore[arg-type]


def kind_of(text: str) -> str:
    """``position`` for what is built like a FEN, ``moves`` for what begins with a legal first move, else ``name``."""
    words = text.split()
    if not words:
        return "name"
    if words[0].count("/") >= 3:
        return "position"
    first = next((word for word in words if not word.rstrip(".").isdigit()), "")
    try:
        return "moves" if first and read_moves(chess.Board(), first, "") else "name"
    except InputError:
        return "name"


def _number(name: str, text: str, kind: type) -> int | float:
    try:
        number: int | float = kind(text)
    except ValueError as error:
        raise UsageError(f"{_WORDS[name]} must be a number, not {text!r}") from error
    return number
