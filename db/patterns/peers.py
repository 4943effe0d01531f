"""How often players of a rating fall into a pattern: the share of their games that were searched."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from db.games.accounts import SiteAccount
from db.patterns.keys import Level, Pattern
from db.storage.tables import BundledPatternRow, GameRow, LosingMoveRow
from db.traps.temptation import UNKNOWN_RATING, RatingBand
from db.traps.terms import HIGHEST_RATING
from trapcore.statistics import is_above

LosingTable = type[LosingMoveRow] | type[BundledPatternRow]
"""Losing moves of games, or those that come with trapline."""


@dataclass(frozen=True, slots=True)
class PatternRate:
    """In how many games somebody fell into a pattern."""

    games: int
    """Searched, one for each player of it who counts."""
    fell: int
    """Of these, those with the pattern."""

    @property
    def per_hundred(self) -> float:
        """Games with the pattern of a hundred; 0 without a game."""
        return 100 * self.fell / self.games if self.games else 0.0

    def is_above(self, other: "PatternRate") -> bool:
        """Whether it is higher beyond doubt: the intervals of 95 % do not meet."""
        return is_above((self.fell, self.games), (other.fell, other.games))


def of_pattern(pattern: Pattern, row: LosingTable = LosingMoveRow) -> ColumnElement[bool]:
    """The losing moves of a pattern, as a condition on their table."""
    if pattern.level is Level.CAUSE:
        return row.causes.startswith(f"{pattern.key}:", autoescape=True)
    return (row.place if pattern.level is Level.PLACE else row.mechanism) == pattern.key


def white_moved() -> ColumnElement[bool]:
    """White made the losing move, as a condition on `LosingMoveRow` joined with `GameRow`."""
    white_began = or_(GameRow.start_fen.is_(None), GameRow.start_fen.like("% w %"))
    return white_began == (LosingMoveRow.ply % 2 == 1)


def moved_by(whose: str | SiteAccount) -> ColumnElement[bool]:
    """A player made the losing move: an account, or a name as the games write it; likewise."""
    if isinstance(whose, SiteAccount):
        return and_(whose.games(), whose.is_named(mover_name()))
    return mover_name() == whose


def mover_name() -> ColumnElement[str]:
    """Name of who made the losing move, likewise."""
    return case((white_moved(), GameRow.white), else_=GameRow.black)


def opponent_name() -> ColumnElement[str]:
    """Name of the other player, likewise."""
    return case((white_moved(), GameRow.black), else_=GameRow.white)


def peer_rates(
    connection: Connection, patterns: Sequence[Pattern], band: RatingBand, without: Collection[str]
) -> dict[Pattern, PatternRate]:
    """How often players in this band fell into each pattern, in games without the players named ``without``.

    One statement for all patterns of a level would read every losing move; each has its index.
    """
    others = and_(GameRow.white.not_in(without), GameRow.black.not_in(without), GameRow.judged_by.is_not(None))

    def is_rated(rating: ColumnElement[int | None]) -> ColumnElement[bool]:
        if band == UNKNOWN_RATING:
            return rating.is_(None)
        return rating.between(band.least or 0, band.most or HIGHEST_RATING)

    sides = [select(func.count()).where(others, is_rated(rating)) for rating in (GameRow.white_elo, GameRow.black_elo)]  # type: ignore[arg-type]
    games = sum(connection.scalar(side) or 0 for side in sides)
    mover = case((white_moved(), GameRow.white_elo), else_=GameRow.black_elo)
    side = case((white_moved(), 0), else_=1)
    found = {}
    for pattern in patterns:
        fell = (
            select(func.count(func.distinct(2 * LosingMoveRow.game_id + side)))
            .join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
            .where(of_pattern(pattern), others, is_rated(mover))
        )
        found[pattern] = PatternRate(games, connection.scalar(fell) or 0)
    return found
