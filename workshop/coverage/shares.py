"""Shares: so many of so many, with the interval that they may stand for."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from trapcore.statistics import wilson
from workshop.report import number


@dataclass(frozen=True, slots=True)
class Share:
    """A share of things counted."""

    hits: int
    of: int

    @classmethod
    def among(cls, hits: Iterable[bool]) -> Self:
        """The share of those that are true."""
        found = list(hits)
        return cls(sum(found), len(found))

    @property
    def value(self) -> float | None:
        """0..1; None of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 %."""
        return wilson(self.hits, self.of)

    def cells(self) -> tuple[str, str, str]:
        """Share, counts and interval as texts of a table."""
        if self.value is None:
            return "–", "0", "–"
        low, high = self.interval
        return number(self.value), f"{self.hits:,} of {self.of:,}", f"{number(low, 2)} to {number(high, 2)}"

    def __str__(self) -> str:
        """Share, counts and interval in one text."""
        value, counts, interval = self.cells()
        return f"{value} ({counts}; {interval})" if self.of else "nothing to count"
