"""The search form of the home page as a query of the library."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import chess

from db.query.condition import conditions_of, query_of
from db.query.query import Query
from db.traps.trap import read_moves
from trapcore.errors import InputError

HITS_PER_PAGE = 12
"""Hits of a page, and similar traps for a position."""

FIELDS = {name: each for name, each in conditions_of(Query).items() if each.label}
"""Conditions with a field of their own; the search box has position, moves and name."""


@dataclass(frozen=True, slots=True)
class SearchForm:
    """Search form as it was sent, to be shown again with its errors."""

    q: str
    fields: Mapping[str, str]
    conditions: ClassVar = FIELDS

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "SearchForm":
        """Form of the query parameters of a URL; unknown ones are ignored, as browsers and mailers add some."""
        return cls(params.get("q", "").strip(), {name: params.get(name, "").strip() for name in FIELDS})

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
        """Query of the library. Raises `UsageError` for values that are not allowed."""
        texts = self.params() | {"limit": str(HITS_PER_PAGE)}
        if asked := texts.pop("q", ""):
            texts["fen" if self.kind == "position" else self.kind] = asked
            if self.kind != "name":
                texts["similar"] = str(HITS_PER_PAGE)
        if after:
            texts["after"] = after
        return query_of(Query, texts)


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
