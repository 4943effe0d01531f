"""Value of a position: what it is worth, and the search or proof that says so.

Every page, comment and answer that gives a value of a position reads it from here. Of two values of one position the
deeper one counts: a proof before any engine, an engine before our own search, and of two searches the one with more
nodes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from trapcore import _native


@dataclass(frozen=True, slots=True)
class PositionValue:
    """What a position is worth."""

    chance: float
    """Win chance of the side to move, lichess's, -1..1."""
    effort: int
    """Nodes of our own search; ``_native.ENGINE`` and its nodes of an engine; ``_native.PROOF`` of a proof."""
    line: tuple[str, ...]
    """UCI: the best move and what is expected after it; may be empty."""
    by: str
    """Version of our search, or name of an engine."""

    @classmethod
    def of_engine(cls, chance: float, nodes: int, line: tuple[str, ...], name: str) -> Self:
        """The value that an engine gives after so many nodes."""
        return cls(chance, _native.ENGINE + nodes, line, name)

    @property
    def is_engines(self) -> bool:
        """Whether an engine gave it, or it is proved, which no engine knows better."""
        return self.effort >= _native.ENGINE

    @property
    def nodes(self) -> int | None:
        """Of the search; None of a proof."""
        return None if self.effort >= _native.PROOF else self.effort % _native.ENGINE

    @property
    def best(self) -> str | None:
        """The best move, UCI; None if it is not known."""
        return self.line[0] if self.line else None


Values = Mapping[str, PositionValue]
"""Values of positions by their EPD."""

StoredValues = Callable[[Iterable[str]], Values]
"""Looks up the values that are known of these positions."""


def no_values(_: Iterable[str]) -> Values:
    """Knows no value: `StoredValues` without a library."""
    return {}


def deepest(tables: Iterable[Values]) -> dict[str, PositionValue]:
    """One table of several, with the deepest value of each position; of two equal ones the first."""
    found: dict[str, PositionValue] = {}
    for table in tables:
        for epd, value in table.items():
            if epd not in found or value.effort > found[epd].effort:
                found[epd] = value
    return found
