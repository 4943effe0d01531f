"""Progress of a player: what he has answered, the themes in which he loses more than others of his rating, and his
games since he practises.

The last two compare losing moves a game between two groups of games. If the rates were equal, each losing move would
fall into the first group with a probability of that group's share of the games, and what is claimed is where Wilson's
interval of 95 % of the observed share leaves that out. Among dozens of themes some would seem to differ by chance, so
that the interval of each is as wide as it takes for all of them together (Bonferroni's correction). Of fewer than
`LEAST_GAMES` games on either side nothing is claimed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Any

from sqlalchemy import or_, select

from coach.practice.exercise import Exercise
from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove, lost_moves
from db.games.losing_themes import themes_of
from db.games.trap_occurrences import Games, games_of_player, numbered_games
from db.library.library import Library
from db.storage.practice_rows import LINE, Review, reviews_of
from db.storage.tables import GameRow
from db.traps.temptation import RATING_BANDS, UNKNOWN_RATING, RatingBand, rating_band
from trapcore.statistics import deviations, wilson

LEAST_GAMES = 20
"""Fewer games show nothing."""

_AT_A_TIME = 5000


@dataclass(frozen=True, slots=True)
class Answers:
    """What a player has answered to one exercise."""

    tries: int
    """Answers up to the first right one, which counts; all of them if none was right."""
    solved: date | None
    """Day of the first right answer; None if there is none."""
    last: date | None
    """Day of the last answer; None if there is none."""
    with_hints: bool
    """Hints had been shown before the first right answer, or before the last one if none was right."""

    @property
    def is_at_once(self) -> bool:
        """Whether the first answer was right, without a hint."""
        return self.solved is not None and self.tries == 1 and not self.with_hints


def answers_to(
    library: Library, player: str | SiteAccount, exercises: Iterable[Exercise], zone: tzinfo | None = None
) -> tuple[Answers, ...]:
    """What a player has answered to each of these exercises, wherever he practised them; days begin as they do in
    ``zone``, by default that of the machine. Raises `LibraryError`.
    """
    given: dict[tuple[str, str], list[Review]] = {}
    with library.database.read() as connection:
        for epd, task, _, review in reviews_of(connection, str(player)):
            given.setdefault((epd, task), []).append(review)
    return tuple(_answers(given.get((each.epd, each.task), []), zone) for each in exercises)


def _answers(reviews: Sequence[Review], zone: tzinfo | None) -> Answers:
    right = next((number for number, review in enumerate(reviews, start=1) if review.is_right), None)
    tries = len(reviews) if right is None else right
    return Answers(
        tries=tries,
        solved=None if right is None else reviews[right - 1].at.astimezone(zone).date(),
        last=reviews[-1].at.astimezone(zone).date() if reviews else None,
        with_hints=tries > 0 and reviews[tries - 1].hints > 0,
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Losing moves of one theme in two groups of games."""

    theme: str
    """Empty for all of them together."""
    first: int
    second: int
    first_games: int
    second_games: int
    beside: int = 1
    """Themes that are compared at once, this one counted."""

    @property
    def more(self) -> bool | None:
        """Whether the first group has more of them a game; None where these games do not show a difference."""
        if min(self.first_games, self.second_games) < LEAST_GAMES:
            return None
        low, high = wilson(self.first, self.first + self.second, deviations(self.beside))
        even = self.first_games / (self.first_games + self.second_games)
        return True if low > even else False if high < even else None


@dataclass(frozen=True, slots=True)
class PracticeProgress:
    """What is weak, and what has become of it."""

    band: RatingBand
    """In which most of the player's games are; `UNKNOWN_RATING` if they do not say."""
    against_others: tuple[Comparison, ...]
    """First the player's games in this band, second games of others in it; all of them first, then by theme."""
    since: str | None
    """Day of the first answer, ``2026-11-22``; None if there is none."""
    over_time: tuple[Comparison, ...]
    """First his games before that day, second those after it, likewise."""

    def weak(self) -> list[str]:
        """The themes in which the player loses more than others."""
        return [each.theme for each in self.against_others if each.theme and each.more]


def progress_of(library: Library, player: str | SiteAccount) -> PracticeProgress:
    """The progress of an account, or of the player with this name in the games. Raises `LibraryError`."""
    own = games_of_player(library, player)
    judged = {number: row for number, row in own.rows.items() if row.judged_by is not None}
    games = Games(judged, own.names)
    moves = [move for move in lost_moves(library, games)[0] if move.is_players]
    with library.database.read() as connection:
        reviews = reviews_of(connection, str(player))
    # To drill a repertoire is no practice of losing moves.
    since = min((review.at.date().isoformat() for _, task, _, review in reviews if task != LINE), default=None)
    band = _usual_band(games)
    return PracticeProgress(
        band=band,
        against_others=tuple(_against_others(library, games, moves, band)) if band != UNKNOWN_RATING else (),
        since=since,
        over_time=tuple(_over_time(games, moves, since)) if since is not None else (),
    )


def _against_others(
    library: Library, games: Games, moves: Sequence[LostMove], band: RatingBand
) -> Iterator[Comparison]:
    own_games = sum(rating_band(_rating(row, side)) == band for row, side in _sides(games))
    own = [move for move in moves if rating_band(move.mover_rating) == band]
    others: Counter[str] = Counter()
    other_games = 0
    for part in _rated_games(library, band):
        for row in part.rows.values():
            for side in ("white", "black"):
                is_other = getattr(row, side) not in games.names
                other_games += is_other and rating_band(_rating(row, side)) == band
        found, _ = lost_moves(library, part)
        for move in found:
            if rating_band(move.mover_rating) == band and _mover(move) not in games.names:
                others.update(("", *themes_of(move)))
    yield from _compared(_counted(own), others, own_games, other_games)


def _over_time(games: Games, moves: Sequence[LostMove], since: str) -> Iterator[Comparison]:
    day = since.replace("-", ".")
    dates = {number: row.date for number, row in games.rows.items() if "?" not in row.date}
    before = {number for number, date in dates.items() if date < day}
    after = {number for number, date in dates.items() if date > day}
    earlier, later = (_counted(move for move in moves if move.game.id in part) for part in (before, after))
    yield from _compared(earlier, later, len(before), len(after))


def _compared(first: Counter[str], second: Counter[str], first_games: int, second_games: int) -> Iterator[Comparison]:
    themes = (first.keys() | second.keys()) - {""}
    yield Comparison("", first[""], second[""], first_games, second_games)
    for theme in sorted(themes, key=lambda theme: (-first[theme], theme)):
        yield Comparison(theme, first[theme], second[theme], first_games, second_games, len(themes))


def _counted(moves: Iterable[LostMove]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for move in moves:
        counted.update(("", *themes_of(move)))
    return counted


def _usual_band(games: Games) -> RatingBand:
    counted = Counter(rating_band(_rating(row, side)) for row, side in _sides(games))
    known = [band for band in RATING_BANDS if band != UNKNOWN_RATING and counted[band]]
    return max(known, key=lambda band: counted[band], default=UNKNOWN_RATING)


def _sides(games: Games) -> Iterator[tuple[Any, str]]:
    """Each game with each side that the player had in it."""
    for number, row in games.rows.items():
        for side in games.colours(number):
            yield row, side


def _rating(row: Any, side: str) -> int | None:
    rating: int | None = row.white_elo if side == "white" else row.black_elo
    return rating


def _mover(move: LostMove) -> str:
    return move.game.white if move.colour == "white" else move.game.black


def _rated_games(library: Library, band: RatingBand) -> Iterator[Games]:
    """The games that were searched in which either player is of this band, some at a time."""
    last = 0

    def within(column: Any) -> Any:
        return column.between(band.least or 1, band.most or 9999)

    while True:
        wanted = (
            select(GameRow.id)
            .where(GameRow.judged_by.is_not(None), GameRow.id > last)
            .where(or_(within(GameRow.white_elo), within(GameRow.black_elo)))
            .order_by(GameRow.id)
            .limit(_AT_A_TIME)
        )
        with library.database.read() as connection:
            numbers = connection.scalars(wanted).all()
        if not numbers:
            return
        yield numbered_games(library, numbers)
        last = numbers[-1]
