"""Query for losing moves of the indexed games: by what they are like, by their patterns, by who made them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, or_, select

from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove
from db.library.library import Library
from db.patterns.index import MistakeIndex, open_mistakes
from db.patterns.keys import Level, Pattern, patterns_of
from db.patterns.like import Model, mistakes_at, models_like, nearest
from db.patterns.peers import moved_by, mover_name, of_pattern, white_moved
from db.query.query import LONGEST_TEXT, MOST_HITS, check_pair, check_range, check_text
from db.query.where import distinct, eco_condition
from db.storage.collation import plain
from db.storage.models import GameRow, LosingMoveRow, MistakeRow
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from db.traps.terms import HIGHEST_RATING, SIDES
from db.wording.causes import CAUSE_NAMES
from trapcore.errors import Message, UsageError
from trapcore.suggestions import unknown_name

_SPARE = 20
"""Mistakes examined beyond those wanted, for those that cost too little by deeper values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeQuery:
    """A question; every condition that is given must hold. Raises `UsageError` for what cannot be asked."""

    like: str | None = None
    """A position (FEN or EPD), the slug of a trap, or a move ``GAME#MOVE``, see `db.patterns.like.models_like`."""
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
    shared: tuple[str, ...]
    """Keys of the patterns that both have, the closest first; empty likewise."""


@dataclass(frozen=True, kw_only=True)
class MistakePage:
    """The losing moves that answer: the most similar first, else the newest."""

    __pydantic_config__ = JSON_FORM

    mistakes: tuple[MistakeHit, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """A losing move that answers a question."""

    lost: LostMove
    similarity: float | None
    """0..1; None unless something was given that it is like."""
    shared: tuple[Pattern, ...]
    """The patterns that both have, the closest first; empty likewise."""


def find_mistakes(library: Library, query: MistakeQuery, only: SiteAccount | None = None) -> MistakePage:
    """The losing moves that answer, of the games of ``only`` if given.

    Raises `UsageError` for a library without losing moves, a pattern that no move has, and a game that is not there;
    `InputError` for a position that cannot be read; and `LibraryError`.
    """
    _, found = answers(library, query, only)
    return MistakePage(mistakes=tuple(map(_hit, found)))


def answers(
    library: Library, query: MistakeQuery, only: SiteAccount | None = None, whose: str | SiteAccount | None = None
) -> tuple[list[Answer], list[Answer]]:
    """The losing moves that answer: those of the player ``whose``, and those of all others, ``query.limit`` of each.

    Without a player all are of others. A player is an account, or a name as the games write it. ``only`` and errors are
    those of `find_mistakes`.
    """
    with library.database.read() as connection:
        if (missing := what_is_missing(connection)) is not None:
            raise UsageError(missing.template)
        conditions = list(_conditions(connection, query))
    if only is not None:
        conditions.append(only.games())
    with ExitStack() as stack:
        models = None if query.like is None else models_like(library, query.like)
        index = None if models is None else stack.enter_context(open_mistakes(library))

        def part(*more: ColumnElement[bool]) -> list[Answer]:
            wanted = [*conditions, *more]
            if models is None or index is None:
                return _newest(library, wanted, query.limit)
            return _nearest(library, wanted, query.limit, models, index)

        return ([], part()) if whose is None else (part(moved_by(whose)), part(~moved_by(whose)))


def what_is_missing(connection: Connection) -> Message | None:
    """What to do before losing moves can be found; None if nothing."""
    if connection.scalar(select(LosingMoveRow.game_id).limit(1)) is None:
        return Message("the library has no losing moves: `trapline index FILE` reads games and looks through them")
    if connection.scalar(select(MistakeRow.id).limit(1)) is None:
        return Message("the losing moves of this library have no causes yet: run `trapline index FILE` again")
    return None


def _newest(library: Library, conditions: list[ColumnElement[bool]], limit: int) -> list[Answer]:
    newest = _rows(conditions, LosingMoveRow.game_id, LosingMoveRow.ply)
    newest = newest.order_by(GameRow.date.desc(), LosingMoveRow.game_id, LosingMoveRow.ply).limit(limit + _SPARE)
    with library.database.read() as connection:
        places = [(game, ply) for game, ply in connection.execute(newest)]
    found = mistakes_at(library, places)
    return [Answer(found[place], None, ()) for place in places if place in found][:limit]


def _nearest(
    library: Library, conditions: list[ColumnElement[bool]], limit: int, models: Sequence[Model], index: MistakeIndex
) -> list[Answer]:
    rows = None
    if conditions:
        with library.database.read() as connection:
            rows = set(connection.scalars(_with_tokens(conditions)))
    hits = nearest(index, models, limit + _SPARE, rows)
    found = mistakes_at(library, [place for place, *_ in hits])
    return [
        Answer(found[place], similarity, model.shared_with(found[place].move))
        for place, similarity, model in hits
        if place in found
    ][:limit]


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
    rating = case((white_moved(), GameRow.white_elo), else_=GameRow.black_elo)
    if query.player is not None:
        yield mover_name().icontains(query.player.strip(), autoescape=True)
    if query.min_rating is not None:
        yield rating >= query.min_rating
    if query.max_rating is not None:
        yield rating <= query.max_rating


def _named(connection: Connection, level: Level, text: str) -> ColumnElement[bool]:
    """The moves whose pattern has this key, else those whose key begins with it or whose name has it."""
    column = LosingMoveRow.place if level is Level.PLACE else LosingMoveRow.mechanism
    text = text.strip()
    known = distinct(connection, column)
    begins = tuple(f"{text}{end}" for end in (":", "@", ","))
    keys = [key for key in known if key == text] or [
        key for key in known if key.startswith(begins) or plain(text) in plain(Pattern(key).name())
    ]
    if not keys:
        raise UsageError("no losing move of this library has the {level} {text!r}", level=str(level), text=text)
    return or_(*(column.in_(keys[at : at + 400]) for at in range(0, len(keys), 400)))


def _rows(conditions: list[ColumnElement[bool]], *columns: Any) -> Select[Any]:
    joined = select(*columns).join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
    return joined.where(LosingMoveRow.mechanism.is_not(None), *conditions)


def _with_tokens(conditions: list[ColumnElement[bool]]) -> Select[Any]:
    same = (MistakeRow.game_id == LosingMoveRow.game_id) & (MistakeRow.ply == LosingMoveRow.ply)
    return _rows(conditions, MistakeRow.id).join(MistakeRow, same)


def _hit(answer: Answer) -> MistakeHit:
    lost = answer.lost
    move, game = lost.move, lost.game
    closest = next(iter(patterns_of(move)), None)
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
        similarity=answer.similarity,
        shared=tuple(pattern.key for pattern in answer.shared),
    )
