"""The patterns of one player: what he loses to in several games, each mistake in the closest pattern that it has."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from db.games.losing_moves import LostMove
from db.games.trap_occurrences import Games
from db.library.library import Library
from db.patterns.circumstances import Circumstances, circumstances_of
from db.patterns.keys import Level, Pattern, patterns_of
from db.patterns.peers import PatternRate, peer_rates
from db.traps.temptation import RatingBand, rating_band

LEAST_GAMES = 10
"""A player with fewer games has no patterns."""
IN_GAMES = 3
"""Games that a pattern spans at least."""
SHOWN = 8
"""Patterns that are reported, and"""
BOARDS = 3
"""boards of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """A pattern of a player."""

    pattern: Pattern
    moves: tuple[LostMove, ...]
    """His mistakes, the costliest first; none of them is in another of his patterns."""
    rate: PatternRate
    """His games with it."""
    earlier: PatternRate
    """The same of the first half of his games by date,"""
    later: PatternRate
    """and of the second."""
    peers: PatternRate
    """Players of his rating in the same library."""
    when: Circumstances
    """In which openings its mistakes happen, and with how much time left."""

    @property
    def points(self) -> float:
        """That it cost, 1 for a won game thrown away."""
        return sum(move.expected_cost for move in self.moves) / 2

    @property
    def punished(self) -> int:
        """Mistakes that the next move punished."""
        return sum(move.move.answer == "sprung" for move in self.moves)

    @property
    def dates(self) -> tuple[str, str]:
        """First and last date, as the games have them; empty where none is known."""
        known = sorted(move.game.date for move in self.moves if move.game.date[:1].isdigit())
        return (known[0], known[-1]) if known else ("", "")

    @property
    def boards(self) -> tuple[LostMove, ...]:
        """The costliest mistakes, each of another game."""
        return tuple({move.game.id: move for move in reversed(self.moves)}.values())[::-1][:BOARDS]

    @property
    def is_own(self) -> bool:
        """Whether he falls into it more often than others of his rating, beyond doubt."""
        return self.rate.is_above(self.peers)

    @property
    def trend(self) -> int:
        """1 if it comes more often than before beyond doubt, -1 if less often, 0 if neither is sure."""
        return self.later.is_above(self.earlier) - self.earlier.is_above(self.later)

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        rates = {name: getattr(self, name) for name in ("rate", "earlier", "later", "peers")}
        return {
            "key": self.pattern.key,
            "level": self.pattern.level,
            "name": self.pattern.name(colour=self.moves[0].colour),
            "mistakes": len(self.moves),
            "punished": self.punished,
            "points": round(self.points, 2),
            "first": self.dates[0],
            "last": self.dates[1],
            **{name: {"games": rate.games, "fell": rate.fell} for name, rate in rates.items()},
            "more_than_peers": self.is_own,
            "when": self.when.to_dict(),
            "trend": self.trend,
            "boards": [{"game": each.game.id, "ply": each.move.ply, "epd": each.epd} for each in self.boards],
        }


def spans_games(moves: Iterable[LostMove]) -> bool:
    """Whether mistakes span `IN_GAMES` games."""
    return len({move.game.id for move in moves}) >= IN_GAMES


def grouped(
    moves: Iterable[LostMove], recurs: Callable[[Sequence[LostMove]], bool] = spans_games
) -> dict[Pattern, list[LostMove]]:
    """The mistakes by pattern: each in the closest one whose mistakes recur, the others left out.

    Places come first, then mechanisms of what is left. A pattern that only describes the killer, such as a quiet move,
    is none here. Neither is a bare cause: moves with a cause in common seldom show the same idea
    (docs/research/patterns.md). The order of the mistakes makes no difference.
    """
    left, found = list(moves), dict[Pattern, list[LostMove]]()
    for level in (Level.PLACE, Level.MECHANISM):
        parts: dict[Pattern, list[LostMove]] = {}
        for move in left:
            for pattern in patterns_of(move.move):
                if pattern.level is level and pattern.is_idea:
                    parts.setdefault(pattern, []).append(move)
        chosen = {key: part for key, part in parts.items() if recurs(part)}
        found |= chosen
        taken = {(move.game.id, move.move.ply) for part in chosen.values() for move in part}
        left = [move for move in left if (move.game.id, move.move.ply) not in taken]
    return found


def recurring(library: Library, games: Games, moves: Sequence[LostMove], judged: int) -> tuple[Recurring, ...]:
    """The patterns of a player that cost most, `SHOWN` at most: of his own ``moves`` in these games.

    ``judged`` of the games were searched; there are no patterns if these are fewer than `LEAST_GAMES`. Raises
    `LibraryError`.
    """
    if judged < LEAST_GAMES:
        return ()
    every = [move for move in moves if move.is_players]
    parts = grouped(every)
    for part in parts.values():
        part.sort(key=lambda move: (-move.expected_cost, move.game.date, move.game.id, move.move.ply))
    order = sorted(parts, key=lambda key: (-sum(move.expected_cost for move in parts[key]), key.key))[:SHOWN]
    with library.database.read() as connection:
        peers = peer_rates(connection, order, _band(games), games.names)
    halves = halves_by_date(games.rows)
    found = []
    for key in order:
        # Those of closer patterns count in his rate as they count in that of others.
        own = {move.game.id for move in every if key.has(move.move)}
        earlier, later = (PatternRate(len(half), len(half & own)) for half in halves)
        rate = PatternRate(judged, len(own))
        here = {(move.game.id, move.move.ply) for move in parts[key]}
        others = [move for move in every if (move.game.id, move.move.ply) not in here]
        found.append(
            Recurring(
                pattern=key,
                moves=tuple(parts[key]),
                rate=rate,
                earlier=earlier,
                later=later,
                peers=peers[key],
                when=circumstances_of(parts[key], others),
            )
        )
    return tuple(found)


def _band(games: Games) -> RatingBand:
    """Of the player's middle rating in these games."""
    ratings = [
        row.white_elo if colour == "white" else row.black_elo
        for number, row in games.rows.items()
        for colour in games.colours(number)
    ]
    known = [rating for rating in ratings if rating is not None]
    return rating_band(round(median(known)) if known else None)


def halves_by_date(rows: Mapping[int, Any]) -> tuple[set[int], set[int]]:
    """The earlier and the later half of the games that were searched and have a date."""
    judged = {number: row for number, row in rows.items() if row.judged_by is not None and row.date[:1].isdigit()}
    dated = sorted((row.date, row.utc_time, number) for number, row in judged.items())
    numbers = [number for *_, number in dated]
    middle = len(numbers) // 2
    return set(numbers[:middle]), set(numbers[middle:])
