"""The search form of the home page as a query of the library."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import chess

from db.query.query import Query, Sort
from db.traps.trap import read_moves
from trapcore.errors import InputError, Message, UsageError

HITS_PER_PAGE = 12
"""Hits of a page, and similar traps for a position."""

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
"""Fields of the form beside the search box, by the names of `Query`."""

_LABELS = {
    "min_length": "the least length",
    "max_length": "the greatest length",
    "min_rating": "the least rating",
    "max_rating": "the greatest rating",
    "min_frequency": "the share",
}


@dataclass(frozen=True, slots=True)
class SearchForm:
    """Search form as it was sent, to be shown again with its errors."""

    q: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "SearchForm":
        """Form of the query parameters of a URL; unknown ones are ignored, as browsers and mailers add some."""
        names = (*FILTERS, "sort")
        return cls(params.get("q", "").strip(), {name: params.get(name, "").strip() for name in names})

    def __getitem__(self, name: str) -> str:
        """Value of a field, for templates: ``form.family``."""
        return self.fields[name]

    @property
    def filtered(self) -> bool:
        """Whether any field but the search box was filled in."""
        return any(self.fields.values())

    @property
    def kind(self) -> str:
        """Kind of the text in the search box: ``position``, ``moves`` or ``name``."""
        return kind_of(self.q)

    def params(self) -> dict[str, str]:
        """Query parameters of the fields that are not empty."""
        return {name: text for name, text in {"q": self.q, **self.fields}.items() if text}

    def query(self, after: str | None) -> Query:
        """Query of the library. Raises `UsageError` for values out of range."""
        values: dict[str, object] = {}
        for name, kind in FILTERS.items():
            if text := self.fields[name]:
                values[name] = _number(name, text, kind) if kind is not str else text
        if self.q:
            values["fen" if self.kind == "position" else self.kind] = self.q
            if self.kind != "name":
                values["similar"] = HITS_PER_PAGE
        if text := self.fields["sort"]:
            if text not in tuple(Sort):
                raise UsageError("the order {text!r} is none of {orders}", text=text, orders=tuple(Sort))
            values["sort"] = Sort(text)
        return Query(**values, limit=HITS_PER_PAGE, after=after)  # type: ignore[arg-type]


def kind_of(text: str) -> str:
    """Kind of a text: ``position`` for the form of a FEN, ``moves`` for a legal first move, else ``name``."""
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
        raise UsageError("{what} must be a number, not {text!r}", what=Message(_LABELS[name]), text=text) from error
    return number
