"""Query for losing moves of the indexed games: by what they are like, by their patterns, by who made them."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, or_, select

from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove
from db.library.library import Library
from db.patterns.index import Place, open_mistakes
from db.patterns.keys import Level, Pattern
from db.patterns.like import mistakes_at, nearest, sets_like
from db.patterns.peers import of_pattern, white_moved
from db.query.query import LONGEST_TEXT, MOST_HITS, check_pair, check_range, check_text
from db.query.where import distinct, eco_condition
from db.storage.collation import plain
from db.storage.models import GameRow, LosingMoveRow, MistakeRow
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from db.traps.terms import HIGHEST_RATING, SIDES
from db.wording.causes import CAUSE_NAMES
from trapcore.errors import UsageError
from trapcore.suggestions import unknown_name

_SPARE = 20
"""Mistakes examined beyond those wanted, for those that cost too little by deeper values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeQuery:
    """A question; every condition that is given must hold. Raises `UsageError` for what cannot be asked."""

    like: str | None = None
    """A position (FEN or EPD), or a move ``GAME#MOVE``, see `db.patterns.like.sets_like`."""
    cause: str | None = None
    """One of `db.wording.causes.CAUSE_NAMES`."""
    mechanism: str | None = None
    """A key, its beginning (``fork``), or a part of its name (``knight forks``)."""
    place: str | None = None
    """The same of a place: ``fork:N@c7``, ``fork on c7``."""
    player: str | None = None
    """Part of the name of the player who made the move, in any case."""
    victim: str | None = None
    """The side that made the move: ``white`` or ``black``."""
    eco: str | None = None
    """Of the game: a code, the beginning of one, or two with a hyphen."""
    min_rating: int | None = None
    """Of the player who made the move, 0 to `HIGHEST_RATING`."""
    max_rating: int | None = None
    limit: int = 10
    """1 to `MOST_HITS`."""

    def __post_init__(self) -> None:
        """Check what needs no library."""
        for field in fields(self):
            if isinstance(value := getattr(self, field.name), str):
                check_text(field.name, value, LONGEST_TEXT)
        if all(getattr(self, name) is None for name in ("like", "cause", "mechanism", "place")):
            raise UsageError("give one of like, cause, mechanism and place")
        check_range("limit", self.limit, 1, MOST_HITS)
        check_pair("rating", self.min_rating, self.max_rating, 0, HIGHEST_RATING)
        if self.victim is not None and self.victim not in SIDES:
            raise unknown_name("victim", self.victim, SIDES)
        if self.cause is not None and self.cause not in CAUSE_NAMES:
            raise unknown_name("cause", self.cause, tuple(CAUSE_NAMES))


@dataclass(frozen=True, kw_only=True)
class MistakeHit:
    """A losing move of an indexed game."""

    __pydantic_config__ = JSON_FORM

    game: int
    """Its number in the library."""
    ply: int
    address: str | None
    """Where the game can be seen."""
    white: str
    black: str
    date: str
    colour: str
    """The player who made the move."""
    number: int
    """Full-move number."""
    epd: str
    """Before the move."""
    played: str
    """SAN."""
    killer_line: tuple[str, ...]
    """SAN."""
    cause: str
    """Key; empty if none is known, as the others."""
    mechanism: str
    place: str
    name: str
    """Of the closest pattern, in words."""
    cost: Rounded | None
    """Win chance that it cost, 0..2; None where it is not certain."""
    similarity: Rounded | None
    """0..1; None unless something was given that it is like."""


@dataclass(frozen=True, kw_only=True)
class MistakePage:
    """The losing moves that answer: the most similar first, else the newest."""

    __pydantic_config__ = JSON_FORM

    mistakes: tuple[MistakeHit, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


def find_mistakes(library: Library, query: MistakeQuery, only: SiteAccount | None = None) -> MistakePage:
    """The losing moves that answer, of the games of ``only`` if given.

    Raises `UsageError` for a library without losing moves, a pattern that no move has, and a game that is not there;
    `InputError` for a position that cannot be read; and `LibraryError`.
    """
    with library.database.read() as connection:
        _check_indexed(connection)
        conditions = list(_conditions(connection, query))
        if only is not None:
            conditions.append(only.games())
        wanted = query.limit + _SPARE
        if query.like is None:
            newest = _rows(conditions, LosingMoveRow.game_id, LosingMoveRow.ply)
            newest = newest.order_by(GameRow.date.desc(), LosingMoveRow.game_id, LosingMoveRow.ply).limit(wanted)
            places: list[tuple[Place, float | None]] = [((game, ply), None) for game, ply in connection.execute(newest)]
        else:
            rows = None if not conditions else set(connection.scalars(_with_tokens(conditions)))
            with open_mistakes(library) as index:
                places = [*nearest(index, sets_like(library, query.like), wanted, rows)]
    found = mistakes_at(library, [place for place, _ in places])
    hits = (_hit(found[place], similarity) for place, similarity in places if place in found)
    return MistakePage(mistakes=tuple(hit for hit, _ in zip(hits, range(query.limit), strict=False)))


def _check_indexed(connection: Connection) -> None:
    if connection.scalar(select(LosingMoveRow.game_id).limit(1)) is None:
        raise UsageError("the library has no losing moves: `trapline index FILE` reads games and looks through them")
    if connection.scalar(select(MistakeRow.id).limit(1)) is None:
        raise UsageError("the losing moves of this library have no causes yet: run `trapline index FILE` again")


def _conditions(connection: Connection, query: MistakeQuery) -> Iterator[ColumnElement[bool]]:
    if query.cause is not None:
        yield of_pattern(Pattern(query.cause))
    for level, text in ((Level.MECHANISM, query.mechanism), (Level.PLACE, query.place)):
        if text is not None:
            yield _named(connection, level, text)
    if query.eco is not None:
        yield eco_condition(connection, GameRow.eco, query.eco)
    if query.victim is not None:
        yield white_moved() if query.victim == "white" else ~white_moved()
    name = case((white_moved(), GameRow.white), else_=GameRow.black)
    rating = case((white_moved(), GameRow.white_elo), else_=GameRow.black_elo)
    if query.player is not None:
        yield name.icontains(query.player.strip(), autoescape=True)
    if query.min_rating is not None:
        yield rating >= query.min_rating
    if query.max_rating is not None:
        yield rating <= query.max_rating


def _named(connection: Connection, level: Level, text: str) -> ColumnElement[bool]:
    """The moves whose pattern has this key, begins with it, or has this in its name."""
    column = LosingMoveRow.place if level is Level.PLACE else LosingMoveRow.mechanism
    text = text.strip()
    known = distinct(connection, column)
    begins = tuple(f"{text}{end}" for end in (":", "@", ","))
    keys = [key for key in known if key == text or key.startswith(begins) or plain(text) in plain(Pattern(key).name())]
    if not keys:
        raise UsageError("no losing move of this library has the {level} {text!r}", level=str(level), text=text)
    return or_(*(column.in_(keys[at : at + 400]) for at in range(0, len(keys), 400)))


def _rows(conditions: list[ColumnElement[bool]], *columns: Any) -> Select[Any]:
    joined = select(*columns).join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
    return joined.where(LosingMoveRow.mechanism.is_not(None), *conditions)


def _with_tokens(conditions: list[ColumnElement[bool]]) -> Select[Any]:
    same = (MistakeRow.game_id == LosingMoveRow.game_id) & (MistakeRow.ply == LosingMoveRow.ply)
    return _rows(conditions, MistakeRow.id).join(MistakeRow, same)


def _hit(lost: LostMove, similarity: float | None) -> MistakeHit:
    move, game = lost.move, lost.game
    closest = next((Pattern(key) for key in (move.place, move.mechanism, move.cause) if key), None)
    return MistakeHit(
        game=game.id,
        ply=move.ply,
        address=game.address,
        white=game.white,
        black=game.black,
        date=game.date,
        colour=lost.colour,
        number=lost.number,
        epd=lost.epd,
        played=lost.san,
        killer_line=lost.killer_line_san,
        cause=move.cause,
        mechanism=move.mechanism or "",
        place=move.place or "",
        name="" if closest is None else closest.name(colour=lost.colour),
        cost=lost.cost if move.settled and lost.cost else None,
        similarity=similarity,
    )
