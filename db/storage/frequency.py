"""Frequency of baits in the indexed games: by a join of the keys, in either colour.

The victim decides, so the victim's rating counts if ratings are asked for.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, func, select
from sqlalchemy.orm import InstrumentedAttribute

from db.storage.sighting_rows import bait_code
from db.storage.tables import GameRow, OccurrenceRow, PositionRow, TrapRow
from db.traps.temptation import RATING_BANDS, UNKNOWN_RATING, Frequency, RatingBand

_Rating = InstrumentedAttribute[int | None]
_NONE = Frequency(decisions=0, played=0)


def frequencies(
    connection: Connection,
    slug: str | Sequence[str] | None = None,
    *,
    min_rating: int | None = None,
    max_rating: int | None = None,
) -> dict[str, Frequency]:
    """By slug, of one trap, some, or all; traps whose position did not occur are left out.

    With a least or a highest rating only victims count whose rating is known and within these bounds.
    """
    found: dict[str, Frequency] = {}
    for name, rating, there in _choices(connection, slug):
        within = _COUNTED
        if min_rating is not None or max_rating is not None:
            within = within.join(GameRow, GameRow.id == OccurrenceRow.game_id)
        if min_rating is not None:
            within = within.where(rating >= min_rating)
        if max_rating is not None:
            within = within.where(rating <= max_rating)
        decisions, played = connection.execute(within, there).one()
        if decisions:
            found[name] = found.get(name, _NONE) + Frequency(decisions=decisions, played=int(played))
    return found


def frequencies_by_rating(connection: Connection, slug: str | None = None) -> dict[str, dict[RatingBand, Frequency]]:
    """By slug and by the victim's rating, the lowest band first; what did not occur is left out."""
    found: dict[str, dict[RatingBand, Frequency]] = {}
    for name, rating, there in _choices(connection, slug):
        band = _band(rating)
        banded = _COUNTED.join(GameRow, GameRow.id == OccurrenceRow.game_id).add_columns(band).group_by("band")
        bands = found.setdefault(name, {})
        for decisions, played, number in connection.execute(banded, there):
            known = bands.get(RATING_BANDS[number], _NONE)
            bands[RATING_BANDS[number]] = known + Frequency(decisions=decisions, played=int(played))
    return {
        name: {band: bands[band] for band in RATING_BANDS if band in bands} for name, bands in found.items() if bands
    }


def _matches(*, some: bool) -> Select[str, str, str, str, int, bool]:
    """The traps, all or some, whose position occurred, and whether it did with colours exchanged."""
    columns = TrapRow.slug, TrapRow.epd, TrapRow.victim, TrapRow.bait, PositionRow.id
    own, mirrored = PositionRow.key == TrapRow.key, PositionRow.key == TrapRow.mirror_key
    matches = select(*columns, mirrored.label("mirrored")).join_from(TrapRow, PositionRow, own | mirrored)
    matches = matches.order_by("mirrored", TrapRow.id)
    return matches.where(TrapRow.slug.in_(bindparam("slugs", expanding=True))) if some else matches


_MATCHES = {some: _matches(some=some) for some in (False, True)}
"""Writing a statement takes longer than finding that nothing occurred."""


_COUNTED = (
    select(func.count(), func.sum(case((OccurrenceRow.move == bindparam("code"), 1), else_=0)))
    .select_from(OccurrenceRow)
    .where(OccurrenceRow.position_id == bindparam("position"), OccurrenceRow.move.is_not(None))
)
"""The choices in a position, and how many of them are the bait."""


def _choices(connection: Connection, slug: str | Sequence[str] | None) -> Iterator[tuple[str, _Rating, dict[str, int]]]:
    """For each position of a trap that occurred: slug, rating of the victim, and the parameters of `_COUNTED`."""
    some = {} if slug is None else {"slugs": [slug] if isinstance(slug, str) else list(slug)}
    for name, epd, victim, bait, position_id, mirrored in connection.execute(_MATCHES[slug is not None], some).all():
        rating = GameRow.white_elo if (victim == "white") is not bool(mirrored) else GameRow.black_elo
        code = bait_code(connection, name, epd, bait, mirrored=bool(mirrored))
        if code is not None:
            yield name, rating, {"code": code, "position": position_id}


def _band(rating: _Rating) -> ColumnElement[int]:
    """The number of the band among `RATING_BANDS`, in SQL."""
    known = [(rating <= band.most, number) for number, band in enumerate(RATING_BANDS) if band.most is not None]
    highest = next(number for number, band in enumerate(RATING_BANDS) if band.most is None)
    unknown = (rating.is_(None), RATING_BANDS.index(UNKNOWN_RATING))
    return case(unknown, *known, else_=highest).label("band")
