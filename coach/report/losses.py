"""The losing moves of a player's games in a report: how many, of what kind, when, and against whom."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from coach.report.reasons import REASONS, reason_of
from db.games.losing_moves import LostMove
from db.games.phases import PHASES
from db.traps.temptation import RATING_BANDS, rating_band
from trapcore.io.bounded_numbers import whole_number

WORST = 20
"""Most losing moves that are named one by one, by what they cost."""

OPENINGS = 12
"""Most openings in the table; the JSON form has all."""

_CLOCKS = (
    (10, "under 10 seconds"),
    (30, "10 to 30 seconds"),
    (120, "30 seconds to 2 minutes"),
    (600, "2 to 10 minutes"),
)
_HOURS = ((6, "at night, 0 to 6"), (12, "in the morning, 6 to 12"), (18, "in the afternoon, 12 to 18"))
_LATE = "in the evening, 18 to 24"
_LONG, _NO_CLOCK = "10 minutes or more", "not known"


@dataclass(frozen=True, slots=True)
class LossCount:
    """Losing moves that have something in common."""

    name: str
    own: int
    """The player's."""
    own_punished: int
    """Of these: the next move kept what they gave."""
    opponents: int
    """His opponents'."""
    opponents_punished: int


@dataclass(frozen=True, slots=True)
class Losses:
    """The losing moves of a player's games, his own and his opponents'."""

    games: int
    """Games that were searched for them."""
    in_all: LossCount
    by_reason: tuple[LossCount, ...]
    """In the player's words, of `coach.report.reasons.REASONS`."""
    by_phase: tuple[LossCount, ...]
    by_opening: tuple[LossCount, ...]
    """Those with most of the player's first."""
    by_clock: tuple[LossCount, ...]
    by_rating: tuple[LossCount, ...]
    """By the rating of the opponent of the player who made the move."""
    by_time: tuple[LossCount, ...]
    """By the time of day when the game began."""
    worst: tuple[LostMove, ...]
    """The player's, the costliest first."""

    @classmethod
    def of(cls, moves: Sequence[LostMove], games: int) -> "Losses":
        """Count; times of day are UTC."""
        clocks = [*(name for _, name in _CLOCKS), _LONG, _NO_CLOCK]
        openings = Counter(move.opening for move in moves if move.is_players)
        names = sorted({move.opening for move in moves}, key=lambda name: (-openings[name], name))
        own = [move for move in moves if move.is_players]
        return cls(
            games=games,
            in_all=_count("all", moves),
            by_reason=_counts(moves, reason_of, REASONS),
            by_phase=_counts(moves, lambda move: move.phase, PHASES),
            by_opening=_counts(moves, lambda move: move.opening, names),
            by_clock=_counts(moves, lambda move: clock_band(move.move.clock), clocks),
            by_rating=_counts(
                moves, lambda move: str(rating_band(move.opponent_rating)), [str(band) for band in RATING_BANDS]
            ),
            by_time=_counts(
                moves,
                lambda move: time_of_day(move.utc_time),
                [*(name for _, name in _HOURS), _LATE, _NO_CLOCK],
            ),
            worst=tuple(costliest_first(own)[:WORST]),
        )

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        tables = ("by_reason", "by_phase", "by_opening", "by_clock", "by_rating", "by_time")
        return {
            "games": self.games,
            "in_all": asdict(self.in_all),
            **{name: [asdict(count) for count in getattr(self, name)] for name in tables},
            "worst": [_to_dict(move) for move in self.worst],
        }


def costliest_first(moves: Iterable[LostMove]) -> list[LostMove]:
    """The moves by `LostMove.expected_cost`; equal ones by game and ply."""
    return sorted(moves, key=lambda move: (-move.expected_cost, move.game.id, move.move.ply))


def clock_band(seconds: int | None) -> str:
    """In words, how much time was left."""
    if seconds is None:
        return _NO_CLOCK
    return next((name for most, name in _CLOCKS if seconds < most), _LONG)


def time_of_day(utc_time: str, zone: float = 0.0) -> str:
    """In words, when a game began at ``18:05:00`` (UTC), with the clock ``zone`` hours before UTC's."""
    hours, _, rest = utc_time.partition(":")
    try:
        hour = (whole_number(hours, 0, 23) + whole_number(rest.partition(":")[0], 0, 59) / 60 + zone) % 24
    except ValueError:
        return _NO_CLOCK
    return next((name for most, name in _HOURS if hour < most), _LATE)


def _counts(moves: Sequence[LostMove], key: Callable[[LostMove], str], names: Iterable[str]) -> tuple[LossCount, ...]:
    """By name, in the order of ``names``; those that have none are left out."""
    parts: dict[str, list[LostMove]] = {}
    for move in moves:
        parts.setdefault(key(move), []).append(move)
    return tuple(_count(name, parts[name]) for name in names if name in parts)


def _count(name: str, moves: Iterable[LostMove]) -> LossCount:
    counted: Counter[tuple[bool, bool]] = Counter((move.is_players, move.move.answer == "sprung") for move in moves)
    return LossCount(
        name,
        counted[True, True] + counted[True, False],
        counted[True, True],
        counted[False, True] + counted[False, False],
        counted[False, True],
    )


def _to_dict(lost: LostMove) -> dict[str, object]:
    return {
        "game": asdict(lost.game),
        "colour": lost.colour,
        "ply": lost.move.ply,
        "number": lost.number,
        "epd": lost.epd,
        "played": lost.san,
        "kind": lost.move.kind,
        "before": lost.move.before,
        "after": lost.move.after,
        "mate_in": lost.move.mate_in,
        "killer_line": list(lost.killer_line_san),
        "best": lost.best_san,
        "answer": lost.move.answer,
        "clock": lost.move.clock,
        "settled": lost.move.settled,
        "probability": lost.move.probability,
        "opening": lost.opening,
        "phase": lost.phase,
    }
