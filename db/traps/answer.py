"""JSON form of a trap as people see it: its fields, its moves in SAN, and why its bait tempts."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from db.traps.json_form import Share
from db.traps.temptation import Frequency, reasons
from db.traps.terms import Side
from db.traps.trap import Trap


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapAnswer(Trap):
    """A trap; all moves of its line in UCI and in SAN."""

    victim: Side = field()
    """The side to move, which the bait tempts."""
    bait_san: str
    killer_line_san: tuple[str, ...]
    is_disputed: bool = field()
    """Two opinions contradict each other, or one of them the reason."""
    frequency: Frequency
    tempts: tuple[Literal["rank", "gain", "frequency"], ...] | None
    """Why; null if nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyAnswer(Frequency):
    """How often the bait was played where it could be, in the indexed games."""

    share: Share = field()


_FIELDS = tuple(found.name for found in fields(Trap))


def answer_fields(trap: Trap, frequency: Frequency | None = None) -> dict[str, Any]:
    """Values of the fields of `TrapAnswer`; without a ``frequency`` the position did not occur in the indexed games."""
    bait, *killer = trap.sans()
    played = frequency if frequency is not None else Frequency(decisions=0, played=0)
    known = trap.profile is not None or played.decisions > 0
    return {name: getattr(trap, name) for name in _FIELDS} | {
        "victim": trap.victim,
        "bait_san": bait,
        "killer_line_san": tuple(killer),
        "is_disputed": trap.is_disputed,
        "frequency": played,
        "tempts": tuple(reasons(trap.profile, played)) if known else None,
    }


def trap_to_dict(trap: Trap, frequency: Frequency | None = None) -> dict[str, Any]:
    """JSON form of a trap, the victim first; ``frequency`` is how often the bait was played."""
    return TrapAnswer(**answer_fields(trap, frequency)).to_dict()


def with_share(frequency: Frequency) -> FrequencyAnswer:
    """A frequency with its share."""
    return FrequencyAnswer(decisions=frequency.decisions, played=frequency.played, share=frequency.share)
