"""Query for losing moves of games and bundled ones: by what they are like, by their patterns, by who made them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, false, or_, select

from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove
from db.library.library import Library
from db.patterns.bundled import BundledPattern, stored_patterns
from db.patterns.index import MistakeIndex, Place, open_mistakes
from db.patterns.keys import Level, Pattern, patterns_of
from db.patterns.like import Model, mistakes_at, models_like, nearest
from db.patterns.peers import LosingTable, moved_by, mover_name, of_pattern, white_moved
from db.query.query import MistakeQuery
from db.query.where import distinct, eco_condition
from db.storage.bulk import parts
from db.storage.collation import plain
from db.storage.tables import BundledPatternRow, GameRow, LosingMoveRow, MistakeRow
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from db.wording.causes import CAUSE_NAMES
from trapcore import _native
from trapcore.errors import Message, UsageError, unknown_name

_SPARE = 20
"""Mistakes read beyond those wanted, for those that cost too little by deeper values."""

Conditions = Sequence[ColumnElement[bool]]


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
    """The player who made the move."""
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
    shared: tuple[str, ...]
    """Keys of the patterns that both have, the closest first; empty likewise."""


@dataclass(frozen=True, kw_only=True)
class MistakePage:
    """The losing moves that answer: the most similar first, else the newest and then the bundled ones."""

    __pydantic_config__ = JSON_FORM

    mistakes: tuple[MistakeHit, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """A losing move that answers a question."""

    lost: LostMove | BundledPattern
    similarity: float | None
    """0..1; None unless something was given that it is like."""
    shared: tuple[Pattern, ...]
    """The patterns that both have, the closest first; empty likewise."""

    @property
    def place(self) -> Place | None:
        """Game and ply; None for a bundled one."""
        return None if isinstance(self.lost, BundledPattern) else (self.lost.game.id, self.lost.move.ply)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Those of the move, the closest first."""
        return self.lost.patterns if isinstance(self.lost, BundledPattern) else patterns_of(self.lost.move)


def find_mistakes(library: Library, query: MistakeQuery, only: SiteAccount | None = None) -> MistakePage:
    """The losing moves that answer: of the games, those of ``only`` if given, and bundled ones.

    Raises `UsageError` for a library without losing moves, a pattern that no move has, and a game that is not there;
    `InputError` for a position that cannot be read; and `LibraryError`.
    """
    _, found = answers(library, query, only)
    return MistakePage(mistakes=tuple(map(_hit, found)))


def answers(
    library: Library, query: MistakeQuery, only: SiteAccount | None = None, whose: str | SiteAccount | None = None
) -> tuple[list[Answer], list[Answer]]:
    """The losing moves that answer: those of the player ``whose``, and all others, ``query.limit`` of each.

    Without a player all are others; bundled ones always are. A player is an account, or a name as the games write it.
    ``only`` and errors are those of `find_mistakes`.
    """
    with library.database.read() as connection:
        if (missing := what_is_missing(connection)) is not None:
            raise UsageError(missing.template)
        of_games = [*_of_patterns(connection, query, LosingMoveRow), *_of_games(connection, query)]
        of_bundled = [*_of_patterns(connection, query, BundledPatternRow), *([false()] if query.is_of_games else [])]
    if only is not None:
        of_games.append(only.games())
    with ExitStack() as stack:
        models = None if query.like is None else models_like(library, query.like)
        index = None if models is None else stack.enter_context(open_mistakes(library))

        def part(*more: ColumnElement[bool], bundled: Sequence[ColumnElement[bool]]) -> list[Answer]:
            wanted = [*of_games, *more]
            if models is None or index is None:
                return _newest(library, wanted, bundled, query.limit)
            return _nearest(library, wanted, bundled, query.limit, models, index)

        if whose is None:
            return [], part(bundled=of_bundled)
        return part(moved_by(whose), bundled=[false()]), part(~moved_by(whose), bundled=of_bundled)


def what_is_missing(connection: Connection) -> Message | None:
    """What to do before losing moves can be found; None if nothing."""
    if connection.scalar(select(BundledPatternRow.id).limit(1)) is not None:
        return None
    if connection.scalar(select(LosingMoveRow.game_id).limit(1)) is None:
        return Message("the library has no losing moves: `trapline index FILE` reads games and looks through them")
    if connection.scalar(select(MistakeRow.id).limit(1)) is None:
        return Message("the losing moves of this library have no causes yet: run `trapline index FILE` again")
    return None


def _newest(library: Library, of_games: Conditions, of_bundled: Conditions, limit: int) -> list[Answer]:
    """The newest of the games, then the bundled ones."""
    newest = _rows(of_games, LosingMoveRow.game_id, LosingMoveRow.ply)
    newest = newest.order_by(GameRow.date.desc(), LosingMoveRow.game_id, LosingMoveRow.ply).limit(limit + _SPARE)
    with library.database.read() as connection:
        places = [(game, ply) for game, ply in connection.execute(newest)]
        places += [(0, number) for number in connection.scalars(_bundled(of_bundled).limit(limit))]
    found = _at(library, places)
    return [Answer(found[place], None, ()) for place in places if place in found][:limit]


def _nearest(
    library: Library,
    of_games: Conditions,
    of_bundled: Conditions,
    limit: int,
    models: Sequence[Model],
    index: MistakeIndex,
) -> list[Answer]:
    rows = None
    if of_games or of_bundled:
        with library.database.read() as connection:
            rows = set(connection.scalars(_with_tokens(of_games))), set(connection.scalars(_bundled(of_bundled)))
    hits = nearest(index, models, limit + _SPARE, rows)
    found = _at(library, [place for place, *_ in hits])
    answered = [(Answer(found[place], similarity, ()), model) for place, similarity, model in hits if place in found]
    return [replace(each, shared=model.shared_with(each.patterns)) for each, model in answered][:limit]


def _at(library: Library, places: Sequence[Place]) -> dict[Place, LostMove | BundledPattern]:
    """The losing moves at these places."""
    with library.database.read() as connection:
        bundled = stored_patterns(connection, [number for game, number in places if not game])
    of_games = mistakes_at(library, [place for place in places if place[0]])
    return {**of_games, **{(0, number): each for number, each in bundled.items()}}


def _of_patterns(connection: Connection, query: MistakeQuery, row: LosingTable) -> Iterator[ColumnElement[bool]]:
    """What a losing move must meet, in a game or not."""
    if query.cause is not None:
        if query.cause not in CAUSE_NAMES:
            raise unknown_name("cause", query.cause, CAUSE_NAMES)
        yield of_pattern(Pattern(query.cause), row)
    for level, text in ((Level.MECHANISM, query.mechanism), (Level.PLACE, query.place)):
        if text is not None:
            keys = _keys(connection, level, text)
            column = row.place if level is Level.PLACE else row.mechanism
            yield or_(*(column.in_(part) for part in parts(keys)))
    if query.victim is not None:
        white = white_moved() if row is LosingMoveRow else BundledPatternRow.epd.like("% w %")
        yield white if query.victim == "white" else ~white


def _of_games(connection: Connection, query: MistakeQuery) -> Iterator[ColumnElement[bool]]:
    """What only a move of a game can meet."""
    if query.eco is not None:
        yield eco_condition(connection, GameRow.eco, query.eco)
    rating = case((white_moved(), GameRow.white_elo), else_=GameRow.black_elo)
    if query.player is not None:
        yield mover_name().icontains(query.player.strip(), autoescape=True)
    if query.min_rating is not None:
        yield rating >= query.min_rating
    if query.max_rating is not None:
        yield rating <= query.max_rating


def _keys(connection: Connection, level: Level, text: str) -> list[str]:
    """The key that is this text, else those that begin with it or have it in their name."""
    tables = (LosingMoveRow, BundledPatternRow)
    columns = [table.place if level is Level.PLACE else table.mechanism for table in tables]
    text = text.strip()
    known = sorted({key for column in columns for key in distinct(connection, column)})
    begins = tuple(f"{text}{end}" for end in (":", "@", ","))
    keys = [key for key in known if key == text] or [
        key for key in known if key.startswith(begins) or plain(text) in plain(Pattern(key).name())
    ]
    if not keys:
        raise UsageError("no losing move of this library has the {level} {text!r}", level=str(level), text=text)
    return keys


def _rows(conditions: Conditions, *columns: Any) -> Select[Any]:
    joined = select(*columns).join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
    return joined.where(LosingMoveRow.mechanism.is_not(None), *conditions)


def _with_tokens(conditions: Conditions) -> Select[Any]:
    same = (MistakeRow.game_id == LosingMoveRow.game_id) & (MistakeRow.ply == LosingMoveRow.ply)
    return _rows(conditions, MistakeRow.id).join(MistakeRow, same)


def _bundled(conditions: Conditions) -> Select[Any]:
    return select(BundledPatternRow.id).where(*conditions).order_by(BundledPatternRow.id)


def _hit(answer: Answer) -> MistakeHit:
    lost, shared = answer.lost, tuple(pattern.key for pattern in answer.shared)
    if isinstance(lost, BundledPattern):
        return _bundled_hit(lost, answer.similarity, shared)
    move, game = lost.move, lost.game
    closest = next(iter(patterns_of(move)), None)
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
        similarity=answer.similarity,
        shared=shared,
    )


def _bundled_hit(pattern: BundledPattern, similarity: float | None, shared: tuple[str, ...]) -> MistakeHit:
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
        shared=shared,
    )
