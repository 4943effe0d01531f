"""A trap repertoire as a value."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from db.traps.json_form import JSON_FORM, Rounded, Share, to_dict
from db.traps.temptation import RatingBand


@dataclass(frozen=True, slots=True)
class TrapAhead:
    """A trap of the repertoire, proved. Win chances go from -1 to 1."""

    __pydantic_config__ = JSON_FORM

    moves: tuple[str, ...]
    """SAN from the beginning of the game to the move that sets it, in the likeliest order."""
    epd: str
    """The position before the bait."""
    bait: str
    """UCI."""
    bait_san: str
    killer_line: tuple[str, ...]
    """UCI, from our answer on."""
    killer_line_san: tuple[str, ...]
    mate_in: int | None
    reach: Share
    """Share of the games of the repertoire that get there."""
    falls: Share
    """Share of the opponents who take the bait there."""
    wins: Rounded
    """Win chance that the bait gives away."""
    costs: Rounded
    """Win chance that the move that sets it gives away if they know it."""
    decisions: int
    """Times that the position occurred in the indexed games,"""
    fell: int
    """and that the bait was played in it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A move of the opponent."""

    uci: str
    probability: float
    trap: TrapAhead | None
    """The trap that he falls for by it."""
    then: "Position | None"
    """Where we are to move; None where the repertoire ends or a trap is sprung."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position in which we are to move, and what to play."""

    epd: str
    uci: str
    cost: float
    """Win chance that the move gives away against best play, 0..2."""
    expected: float
    """Expected win chance, -1..1."""
    replies: tuple[Reply, ...]
    """The likeliest first."""


@dataclass(frozen=True, slots=True)
class Repertoire:
    """The tree for one colour against players of a rating."""

    color: str
    """``white`` or ``black``."""
    band: RatingBand
    beginning: tuple[Reply, ...]
    """White's first moves, if it is for Black; else one reply without a move, which leads to the first position."""
    points: float
    """Expected points a game, 0..1,"""
    main_points: float | None
    """and those of the main lines: always the best move by the same search, against the same opponents; None if they
    were not examined."""

    def positions(self) -> Iterator[Position]:
        """All positions in which we are to move, those of likely replies first."""
        waiting = list(self.beginning)
        while waiting:
            reply = waiting.pop(0)
            if reply.then is not None:
                yield reply.then
                waiting += reply.then.replies

    def traps(self) -> list[TrapAhead]:
        """Its traps, those first that win the most a game. One that several orders of moves set is listed once."""
        every = [reply.trap for at in self.positions() for reply in at.replies if reply.trap is not None]
        every += [reply.trap for reply in self.beginning if reply.trap is not None]
        found: dict[tuple[str, str], TrapAhead] = {}
        for trap in sorted(every, key=lambda trap: (-trap.reach, trap.moves)):
            there = found.get((trap.epd, trap.bait))
            found[trap.epd, trap.bait] = trap if there is None else replace(there, reach=there.reach + trap.reach)
        return sorted(found.values(), key=lambda trap: (-trap.reach * trap.falls * trap.wins, trap.epd, trap.bait))

    def to_dict(self) -> dict[str, Any]:
        """JSON form: figures, and the traps in their order."""
        traps = self.traps()
        return {
            "color": self.color,
            "rating": str(self.band),
            "positions": len({at.epd for at in self.positions()}),
            "points": round(self.points, 4),
            "main_points": None if self.main_points is None else round(self.main_points, 4),
            "traps_set": round(sum(trap.reach for trap in _by_position(traps)), 4),
            "fallen_for": round(sum(trap.reach * trap.falls for trap in traps), 4),
            "traps": [to_dict(trap) for trap in traps],
        }


def _by_position(traps: list[TrapAhead]) -> list[TrapAhead]:
    """One trap of each position, which may have several baits."""
    return list({trap.epd: trap for trap in traps}.values())
