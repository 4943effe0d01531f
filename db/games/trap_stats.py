"""Statistics of a trap in the indexed games: how often its bait is taken, what that costs, how often it is punished."""

import struct
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, select

from db.library.library import Library
from db.storage.frequency import frequencies_by_rating
from db.storage.sighting_rows import MIRROR, move_code
from db.storage.tables import GameRow, OccurrenceRow, PositionRow
from db.traps.temptation import Frequency, RatingBand
from db.traps.trap import Trap
from trapcore.statistics import wilson

SAMPLES = 3
"""Games that are named."""


@dataclass(frozen=True, slots=True)
class SampleGame:
    """A game in which the bait was taken."""

    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    date: str
    event: str
    site: str
    result: str
    ply: int
    """Of the bait, from 1."""


@dataclass(frozen=True, slots=True)
class TrapStats:
    """The figures of one trap."""

    frequency: Frequency
    """Of all players."""
    by_rating: dict[RatingBand, Frequency]
    """Of the victims of each band."""
    low: float
    """Least share of those who take the bait, 0..1, by Wilson's interval of 95 %; 0 if nobody had the choice."""
    high: float
    punished: int
    """Times that the killer was played at once."""
    points: float | None
    """Of the attacker in the games in which the bait was taken, 0..1 a game; None if no such game has a result."""
    score: float
    """Points that a player loses by it, at least, each time he has the choice: the low share times half the win chance
    that the bait costs (which goes from -1 to 1, points from 0 to 1)."""
    samples: tuple[SampleGame, ...]
    """Those of the strongest players first."""

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return {
            **asdict(self.frequency),
            "share": round(self.frequency.share, 4),
            "interval": [round(self.low, 4), round(self.high, 4)],
            "by_rating": {str(band): asdict(counts) for band, counts in self.by_rating.items()},
            "punished": self.punished,
            "points": None if self.points is None else round(self.points, 4),
            "score": round(self.score, 5),
            "samples": [asdict(sample) for sample in self.samples],
        }


def stats_of(library: Library, trap: Trap) -> TrapStats:
    """The figures of a stored trap from the games of its library, in either colour. Raises `LibraryError`."""
    with library.database.read() as connection:
        by_rating = frequencies_by_rating(connection, trap.slug).get(trap.slug, {})
        fallen = [row for mirrored in (False, True) for row in _fallen(connection, trap, mirrored)]
    total = sum(by_rating.values(), Frequency(decisions=0, played=0))
    low, high = wilson(total.played, total.decisions)
    # A game in which the bait was taken twice is one game.
    points = [points for points in {row.game_id: row.points for row in fallen}.values() if points is not None]
    strongest = sorted(fallen, key=lambda row: (-row.strength, row.game_id, row.game.ply))
    return TrapStats(
        frequency=total,
        by_rating=by_rating,
        low=low,
        high=high,
        punished=sum(row.punished for row in fallen),
        points=sum(points) / len(points) if points else None,
        score=low * cost(trap),
        samples=tuple(row.game for row in strongest[:SAMPLES]),
    )


def cost(trap: Trap) -> float:
    """Points that the bait costs, 0..1: half the win chance, which goes from -1 to 1; 0 if nothing is known of it."""
    return 1.0 if trap.mate_in is not None and trap.gain is None else (trap.gain or 0.0) / 2


_SHOWN = tuple(field.name for field in fields(SampleGame) if field.name != "ply")

_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""White's points."""


@dataclass(frozen=True, slots=True)
class _Fallen:
    """A game in which the bait was taken."""

    game_id: int
    game: SampleGame
    punished: bool
    attacker_is_black: bool

    @property
    def points(self) -> float | None:
        """Of the attacker; None if the game has no result."""
        white = _POINTS.get(self.game.result)
        return 1 - white if white is not None and self.attacker_is_black else white

    @property
    def strength(self) -> int:
        """The higher rating of the two players, 0 if none is known."""
        return max(self.game.white_elo or 0, self.game.black_elo or 0)


def _fallen(connection: Connection, trap: Trap, mirrored: bool) -> list[_Fallen]:
    """The games of one colour in which the bait was taken."""
    turned = MIRROR if mirrored else 0
    after = trap.board()
    after.push_uci(trap.bait)
    bait = move_code(trap.epd, trap.bait) ^ turned
    killer = move_code(after.fen(), trap.killer_line[0]) ^ turned
    attacker_is_black = (trap.victim == "white") is not mirrored
    columns: list[Any] = [getattr(GameRow, name) for name in _SHOWN]
    found = (
        select(GameRow.id, GameRow.moves, OccurrenceRow.ply, *columns)
        .join_from(OccurrenceRow, PositionRow, PositionRow.id == OccurrenceRow.position_id)
        .join(GameRow, GameRow.id == OccurrenceRow.game_id)
        .where(PositionRow.key == (trap.mirror_key if mirrored else trap.key), OccurrenceRow.move == bait)
        .order_by(GameRow.id, OccurrenceRow.ply)
    )
    fallen = []
    for game_id, moves, ply, *shown in connection.execute(found):
        game = SampleGame(**dict(zip(_SHOWN, shown, strict=True)), ply=ply + 1)
        fallen.append(_Fallen(game_id, game, _move_at(moves, ply + 1) == killer, attacker_is_black))
    return fallen


def _move_at(moves: bytes, ply: int) -> int | None:
    """The coded move at a ply, from 0; None after the end."""
    at = 2 * ply
    return struct.unpack_from("<H", moves, at)[0] if at + 2 <= len(moves) else None
