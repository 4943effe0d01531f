"""Pages of sightings: of one trap, or in the games of a player, with what is known of each game."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import or_, select

from db.games.accounts import SiteAccount
from db.games.game_address import game_address
from db.library.library import Library
from db.storage.column_types import stored
from db.storage.sighting_rows import Sighting
from db.storage.tables import GameRow, SightingRow, TrapRow
from db.traps.json_form import JSON_FORM, to_dict
from db.traps.terms import EVENTS
from trapcore.errors import UsageError, unknown_name
from trapcore.io.bounded_numbers import whole_number
from trapcore.proof.verdict import Verdict

LONGEST_PAGE = 200
"""Sightings."""


@dataclass(frozen=True, slots=True)
class SeenGame:
    """The game of a sighting, by its tags."""

    __pydantic_config__ = JSON_FORM

    id: int
    """Its number in the library."""
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    result: str
    date: str
    event: str
    address: str | None
    """Where the game can be seen: the tag Site, if that is a link."""

    @classmethod
    def of(cls, row: Any) -> "SeenGame":
        """Of a row that has the fields, and the tag as ``site``."""
        return cls(**{name: getattr(row, name) for name in TAGS}, address=game_address(row.site))


TAGS = tuple(field.name for field in fields(SeenGame) if field.name != "address")
"""Fields of a game that a row of `GameRow` has by the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightingInGame(Sighting):
    """A sighting and its game."""

    game: SeenGame | None
    """None if the game is not indexed."""


@dataclass(frozen=True, slots=True)
class SightingPage:
    """Some sightings, in the order in which they were recorded."""

    __pydantic_config__ = JSON_FORM

    sightings: tuple[SightingInGame, ...]
    next: str | None
    """Where the next page begins, for ``after``; None on the last page."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


_SIGHTING = tuple(getattr(SightingRow, field.name) for field in fields(Sighting) if field.name != "trap")
_GAME = tuple(getattr(GameRow, name) for name in (*TAGS, "site"))


def sightings(
    library: Library,
    *,
    trap: str | None = None,
    player: str | None = None,
    event: str | None = None,
    only: SiteAccount | None = None,
    limit: int = 20,
    after: str | None = None,
) -> SightingPage:
    """A page of ``limit`` sightings, 1 to `LONGEST_PAGE`, that meet all conditions.

    ``trap`` is a slug, ``player`` a part of the name of either, in any case, ``event`` one of
    `db.traps.terms.EVENTS`, ``only`` the account that played the games. Pages follow each other by what was recorded
    when: what is recorded meanwhile comes last, and nothing is skipped or listed twice. Raises `UsageError` and
    `LibraryError`.
    """
    if not 1 <= limit <= LONGEST_PAGE:
        raise UsageError(f"a page has 1 to {LONGEST_PAGE} sightings, not {limit}")
    if event is not None and event not in EVENTS:
        raise unknown_name("event", event, EVENTS)
    wanted = (
        select(SightingRow.id, SightingRow.game_id, TrapRow.slug, *_SIGHTING)
        .join_from(SightingRow, TrapRow, TrapRow.id == SightingRow.trap_id)
        .outerjoin(GameRow, GameRow.id == SightingRow.game_id)
        .where(SightingRow.id > _place(after))
        .order_by(SightingRow.id)
        .limit(limit + 1)
    )
    if trap is not None:
        library.trap(trap)
        wanted = wanted.where(SightingRow.trap_id == select(TrapRow.id).where(TrapRow.slug == trap).scalar_subquery())
    if player is not None:
        named = (column.icontains(player, autoescape=True) for column in (GameRow.white, GameRow.black))
        wanted = wanted.where(or_(*named))
    if only is not None:
        wanted = wanted.where(only.games())
    if event is not None:
        wanted = wanted.where(SightingRow.event == event)
    with library.database.read() as connection:
        rows = connection.execute(wanted).all()
        in_games = select(*_GAME).where(GameRow.id.in_({row.game_id for row in rows}))
        games = {row.id: SeenGame.of(row) for row in connection.execute(in_games)}
    found = []
    for row in rows[:limit]:
        values = {column.key: getattr(row, column.key) for column in _SIGHTING}
        values["verdict"] = stored(Verdict, row.verdict)
        found.append(SightingInGame(trap=row.slug, game=games.get(row.game_id), **values))
    return SightingPage(tuple(found), str(rows[limit - 1].id) if len(rows) > limit else None)


def _place(after: str | None) -> int:
    if after is None:
        return 0
    try:
        return whole_number(after)
    except ValueError as error:
        raise UsageError(f"{after!r} is no page of sightings; give what the page before had as `next`") from error
