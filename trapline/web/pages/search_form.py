"""The search form of the home page as a query of the library."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from db.query.condition import conditions_of
from db.query.query import Query
from db.query.words import Reading

HITS_PER_PAGE = 12
"""Hits of a page."""

FIELDS = {name: each for name, each in conditions_of(Query).items() if each.label}
"""Conditions with a field of their own; the search box takes words for all of them."""


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

    def params(self) -> dict[str, str]:
        """Query parameters of the fields that are not empty."""
        return {name: text for name, text in {"q": self.q, **self.fields}.items() if text}

    def query(self, reading: Reading, after: str | None) -> Query | None:
        """Query of the library, by what the box was read as and by the fields; None if nothing was understood.

        Raises `UsageError` for values that are not allowed.
        """
        fields = self.params()
        fields.pop("q", None)
        if not reading.conditions and not fields:
            return None
        return reading.query(**fields, limit=str(HITS_PER_PAGE), **({"after": after} if after else {}))
