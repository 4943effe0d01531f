"""Query for losing moves of games and bundled ones: by what they are like, by their patterns, by who made them."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, false, or_, select

from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove
from db.library.library import Library
from db.patterns.bundled import BundledPattern, stored_patterns
from db.patterns.index import Place, open_mistakes
from db.patterns.keys import Level, Pattern
from db.patterns.like import mistakes_at, nearest, sets_like
from db.patterns.peers import LosingTable, of_pattern, white_moved
from db.query.query import LONGEST_TEXT, MOST_HITS, check_pair, check_range, check_text
from db.query.where import distinct, eco_condition
from db.storage.collation import plain
from db.storage.models import BundledPatternRow, GameRow, LosingMoveRow, MistakeRow
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from db.traps.terms import HIGHEST_RATING, SIDES
from db.wording.causes import CAUSE_NAMES
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.suggestions import unknown_name

_SPARE = 20
"""Mistakes looked at beyond those wanted, for those that cost too little by deeper values."""


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
    """Part of the name of who made the move, in any case."""
    victim: str | None = None
    """Who made the move: ``white`` or ``black``."""
    eco: str | None = None
    """Of the game: a code, the beginning of one, or two with a hyphen."""
    min_rating: int | None = None
    """Of who made the move, 0 to `HIGHEST_RATING`."""
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

    @property
    def is_of_games(self) -> bool:
        """Whether only a move of a game can answer: a bundled pattern has no player and no opening."""
        about = (self.player, self.eco, self.min_rating, self.max_rating)
        return any(each is not None for each in about)


@dataclass(frozen=True, kw_only=True)
class MistakeHit:
    """A losing move of an indexed game, or one that comes with trapline."""

    __pydantic_config__ = JSON_FORM

    bundled: bool
    """It comes with trapline, and nobody is known to have played it. It has no game, and so no ply, players or date."""
    game: int | None
    """Its number in the library."""
    ply: int | None
    address: str | None
    """Where the game can be seen."""
    white: str
    black: str
    date: str
    colour: str
    """Who made the move."""
    number: int | None
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
    """The losing moves that answer: the most similar first, else the newest and then the bundled ones."""

    __pydantic_config__ = JSON_FORM

    mistakes: tuple[MistakeHit, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


def find_mistakes(library: Library, query: MistakeQuery, only: SiteAccount | None = None) -> MistakePage:
    """The losing moves that answer: of the games, those of ``only`` if given, and bundled ones.

    Raises `UsageError` for a library without losing moves, a pattern that no move has, and a game that is not there;
    `InputError` for a position that cannot be read; and `LibraryError`.
    """
    with library.database.read() as connection:
        _check_filled(connection)
        conditions = [*_of_patterns(connection, query, LosingMoveRow), *_of_games(connection, query)]
        if only is not None:
            conditions.append(only.games())
        of_bundled = [*_of_patterns(connection, query, BundledPatternRow), *([false()] if query.is_of_games else [])]
        wanted = query.limit + _SPARE
        places: list[tuple[Place, float | None]]
        if query.like is None:
            newest = _rows(conditions, LosingMoveRow.game_id, LosingMoveRow.ply)
            newest = newest.order_by(GameRow.date.desc(), LosingMoveRow.game_id, LosingMoveRow.ply).limit(wanted)
            first = _bundled(of_bundled).order_by(BundledPatternRow.id).limit(wanted)
            places = [((game, ply), None) for game, ply in connection.execute(newest)]
            places += [((0, number), None) for number in connection.scalars(first)]
        else:
            some = None
            if conditions or of_bundled:
                games = set(connection.scalars(_with_tokens(conditions)))
                some = games, set(connection.scalars(_bundled(of_bundled)))
            with open_mistakes(library) as index:
                places = [*nearest(index, sets_like(library, query.like), wanted, some)]
        bundled = stored_patterns(connection, [number for (game, number), _ in places if not game])
    moves = mistakes_at(library, [place for place, _ in places])
    found = {place: partial(_hit, move) for place, move in moves.items()}
    found |= {(0, number): partial(_bundled_hit, each) for number, each in bundled.items()}
    hits = (found[place](similarity) for place, similarity in places if place in found)
    return MistakePage(mistakes=tuple(islice(hits, query.limit)))


def _check_filled(connection: Connection) -> None:
    if connection.scalar(select(BundledPatternRow.id).limit(1)) is not None:
        return
    if connection.scalar(select(LosingMoveRow.game_id).limit(1)) is None:
        raise UsageError("the library has no losing moves: `trapline index FILE` reads games and looks through them")
    if connection.scalar(select(MistakeRow.id).limit(1)) is None:
        raise UsageError("the losing moves of this library have no causes yet: run `trapline index FILE` again")


def _of_patterns(connection: Connection, query: MistakeQuery, row: LosingTable) -> Iterator[ColumnElement[bool]]:
    """What a losing move must meet, in a game or not."""
    if query.cause is not None:
        yield of_pattern(Pattern(query.cause), row)
    for level, text in ((Level.MECHANISM, query.mechanism), (Level.PLACE, query.place)):
        if text is not None:
            keys = _keys(connection, level, text)
            column = row.place if level is Level.PLACE else row.mechanism
            yield or_(*(column.in_(keys[at : at + 400]) for at in range(0, len(keys), 400)))
    if query.victim is not None:
        white = white_moved() if row is LosingMoveRow else BundledPatternRow.epd.like("% w %")
        yield white if query.victim == "white" else ~white


def _of_games(connection: Connection, query: MistakeQuery) -> Iterator[ColumnElement[bool]]:
    """What only a move of a game can meet."""
    if query.eco is not None:
        yield eco_condition(connection, GameRow.eco, query.eco)
    name = case((white_moved(), GameRow.white), else_=GameRow.black)
    rating = case((white_moved(), GameRow.white_elo), else_=GameRow.black_elo)
    if query.player is not None:
        yield name.icontains(query.player.strip(), autoescape=True)
    if query.min_rating is not None:
        yield rating >= query.min_rating
    if query.max_rating is not None:
        yield rating <= query.max_rating


def _keys(connection: Connection, level: Level, text: str) -> list[str]:
    """The keys of the library that are this text, begin with it, or have it in their name."""
    tables = (LosingMoveRow, BundledPatternRow)
    columns = [table.place if level is Level.PLACE else table.mechanism for table in tables]
    text = text.strip()
    known = sorted({key for column in columns for key in distinct(connection, column)})
    begins = tuple(f"{text}{end}" for end in (":", "@", ","))
    keys = [key for key in known if key == text or key.startswith(begins) or plain(text) in plain(Pattern(key).name())]
    if not keys:
        raise UsageError("no losing move of this library has the {level} {text!r}", level=str(level), text=text)
    return keys


def _rows(conditions: list[ColumnElement[bool]], *columns: Any) -> Select[Any]:
    joined = select(*columns).join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
    return joined.where(LosingMoveRow.mechanism.is_not(None), *conditions)


def _with_tokens(conditions: list[ColumnElement[bool]]) -> Select[Any]:
    same = (MistakeRow.game_id == LosingMoveRow.game_id) & (MistakeRow.ply == LosingMoveRow.ply)
    return _rows(conditions, MistakeRow.id).join(MistakeRow, same)


def _bundled(conditions: list[ColumnElement[bool]]) -> Select[Any]:
    return select(BundledPatternRow.id).where(*conditions)


def _hit(lost: LostMove, similarity: float | None) -> MistakeHit:
    move, game = lost.move, lost.game
    closest = next((Pattern(key) for key in (move.place, move.mechanism, move.cause) if key), None)
    return MistakeHit(
        bundled=False,
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


def _bundled_hit(pattern: BundledPattern, similarity: float | None) -> MistakeHit:
    played, *killer_line = _native.sans(pattern.epd, [pattern.bait, *pattern.killer_line])
    return MistakeHit(
        bundled=True,
        game=None,
        ply=None,
        address=None,
        white="",
        black="",
        date="",
        colour=pattern.colour,
        number=None,
        epd=pattern.epd,
        played=played,
        killer_line=tuple(killer_line),
        cause=pattern.cause,
        mechanism=pattern.mechanism,
        place=pattern.place,
        name=Pattern(pattern.place).name(colour=pattern.colour),
        cost=pattern.before - pattern.after if pattern.settled else None,
        similarity=similarity,
    )
