"""Answers to a query: a page of hits, and the JSON form of both."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from db.query.query import Query
from db.similarity.explanation import Line, Shared
from db.traps.answer import FrequencyAnswer, TrapAnswer, answer_fields, with_share
from db.traps.json_form import JSON_FORM, Rounded, Share
from db.traps.temptation import Frequency
from db.traps.trap import Trap


class Match(StrEnum):
    """How a hit answers the query."""

    EXACT = "exact"
    """The very position, by the asked moves or by a FEN."""
    TRANSPOSED = "transposed"
    """The same position, which the trap's own moves reach in another order than the asked ones."""
    MIRRORED = "mirrored"
    """The position with colours exchanged."""
    SIMILAR = "similar"
    FOUND = "found"
    """By its fields: no position was asked for."""


@dataclass(frozen=True, kw_only=True)
class TrapInGames(TrapAnswer):
    """A trap, all moves of its line in UCI and in SAN, and what the indexed games say of it."""

    frequency: FrequencyAnswer
    events: Mapping[str, int]
    """How often the very position was seen with each event."""


def trap_in_games(trap: Trap, frequency: Frequency, events: Mapping[str, int]) -> TrapInGames:
    """A trap with what the indexed games say of it."""
    fields_of_trap = answer_fields(trap, frequency) | {"frequency": with_share(frequency)}
    return TrapInGames(**fields_of_trap, events=events)


@dataclass(frozen=True, kw_only=True)
class _Found:
    """How a trap answers a query."""

    __pydantic_config__ = JSON_FORM

    match: Match
    similarity: Share | None = None
    """0 to .99, of a similar one; None otherwise."""
    bait_here: Line | None = None
    """The bait in the asked position: of the colours there, or the move that is similar to it; None if unknown."""
    killer_here: Line | None = None
    """What refutes it there: the trap's own line in an exact or mirrored hit, the proved line in a similar one. Without
    a proof only the first move is given."""
    mate_here: int | None = None
    """Moves to the mate that was proved for a similar one in the asked position; None if none was."""
    loss_here: Rounded | None = None
    """Win chance that the bait of a similar one was proved to cost in the asked position, 0 to 2; None if nothing was
    proved."""
    shared: Shared | None = None
    """Why it is similar, by the measure ``abstracted``; None otherwise."""


@dataclass(frozen=True, kw_only=True)
class HitAnswer(_Found, TrapInGames):
    """JSON form of a `Hit`: the fields of the trap, and how it answers the query."""


_FOUND = tuple(field.name for field in fields(_Found))


@dataclass(frozen=True, kw_only=True)
class Hit(_Found):
    """A trap that answers a query, and how."""

    trap: Trap
    frequency: Frequency
    events: Mapping[str, int]
    """How often the very position was seen with each event; of a query with ratings ``fell`` and ``avoided`` only."""

    def answer(self) -> HitAnswer:
        """The hit with the fields of its trap."""
        values = answer_fields(self.trap, self.frequency) | {name: getattr(self, name) for name in _FOUND}
        return HitAnswer(**values | {"frequency": with_share(self.frequency), "events": self.events})

    def to_dict(self) -> dict[str, Any]:
        """JSON form: the trap as `trapline library list --json` has it, and what the hit is."""
        return self.answer().to_dict()


@dataclass(frozen=True, kw_only=True)
class PageAnswer:
    """JSON form of a `Page`."""

    __pydantic_config__ = JSON_FORM

    query: dict[str, object]
    """The query as it was understood."""
    total: int | None
    """Hits of all pages; null where counting them would take longer than finding these."""
    next: str | None
    """The parameter `after` of the next page; null on the last one."""
    hits: tuple[HitAnswer, ...]
    other_castling: tuple[str, ...]
    """Castling rights with which traps have the asked position, if none has it as asked."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some hits in their order."""

    query: Query
    hits: tuple[Hit, ...]
    total: int | None
    """Hits of all pages; None where counting them would take longer than finding these."""
    next: str | None
    """What the query needs as ``after`` for the next page; None on the last one."""
    other_castling: tuple[str, ...] = ()
    """Castling rights (``KQkq``, ``-`` for none) with which traps have the asked position, if none has it as asked."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form, that of `PageAnswer`."""
        hits = [hit.to_dict() for hit in self.hits]
        return {
            "query": self.query.to_dict(),
            "total": self.total,
            "next": self.next,
            "hits": hits,
            "other_castling": self.other_castling,
        }
