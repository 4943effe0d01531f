"""Query engine: it answers a `db.query.query.Query` with a page of hits."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import chess
from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute

from db.library.library import Library
from db.library.schema import CURSOR_SECRET
from db.query.answer import Hit, Match, Page
from db.query.castling import other_castling
from db.query.cursor import Place, read_cursor, write_cursor
from db.query.query import Query, Sort
from db.query.where import conditions
from db.similarity.explanation import Line
from db.similarity.index_cache import IndexCache
from db.similarity.nearest_traps import Conditions, SimilarTrap, compare_each, similar_killers
from db.similarity.proof_here import MORE_CANDIDATES, KillerProver
from db.storage.bulk import parts
from db.storage.frequency import frequencies
from db.storage.name_index import find_names
from db.storage.sighting_rows import BY_KEY
from db.storage.tables import MetaRow, SightingRow, TrapRow
from db.storage.trap_rows import traps_of_slugs, traps_state
from db.traps.temptation import Frequency
from db.traps.trap import Trap, read_moves
from trapcore import _native
from trapcore.errors import LibraryError
from trapcore.measures.options import IndexedMeasure
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror_move

COUNTED = 100_000
"""Traps of a library in which all hits of a question about fields are counted; in a larger one that takes longer than
finding those of a page."""

_NONE = Frequency(decisions=0, played=0)
_RANKS = {match: rank for rank, match in enumerate(Match)}
_CACHED = 16
"""Conditions whose traps are kept in memory, an eighth of a byte for each of the library."""


@dataclass(frozen=True, slots=True)
class QueryPosition:
    """The position that is asked for."""

    epd: str
    key: bytes
    moves: str | None
    """The moves that were given, as a trap has them; None for a FEN."""


@dataclass(frozen=True, slots=True)
class Found:
    """A trap that answers, before it is read."""

    slug: str
    match: Match
    score: float = 0.0
    """Less is better, among those of the same match."""
    similar: SimilarTrap | None = None
    """If it is similar."""


class QueryEngine:
    """An open library and what makes it quick to ask; any number of threads may use one.

    It sees what is written to the library meanwhile. Closing it leaves the library open.
    """

    def __init__(
        self, library: Library, *, measure: IndexedMeasure, log: Callable[[str], None] = lambda _: None
    ) -> None:
        """``measure`` is that of questions which name none; ``log`` hears what is built."""
        self.library = library
        self._measure = measure
        self.indexes = IndexCache(library, log)
        """For other code that compares with the traps of this library."""
        self._secret: bytes | None = None
        self._lock = threading.Lock()
        self._fitting: dict[tuple[str, Query], _native.Payloads] = {}

    def trap(self, slug: str) -> Trap:
        """The trap of that slug. Raises `UsageError`, which names the nearest one, if there is none."""
        return self.library.trap(slug)

    def ask(self, query: Query) -> Page:
        """A page of the traps that answer.

        Raises `UsageError` for a cursor of another question, a family that is not there and a bad move;
        `InputError` for a position and moves that cannot be read; and `LibraryError`.
        """
        position = _position(query)
        with self.library.database.read() as connection:
            after = None if query.after is None else read_cursor(query.after, query, self._cursor_secret(connection))
            wanted = conditions(connection, query)
            often = self._frequencies(connection, query)
            found = self._found(connection, query, position, wanted, often)
            if found is not None:
                placed = _placed(connection, query.order, found, often)
                total: int | None = len(placed)
                rest = [one for one in placed if after is None or one[0] > after]
            else:
                rest = list(_listed(connection, query, wanted, after))
                total = len(rest) if after is None and len(rest) <= query.limit else _count(connection, wanted)
            shown = rest[: query.limit]
            more = write_cursor(shown[-1][0], query, self._cursor_secret(connection)) if rest[query.limit :] else None
            hits = tuple(self._hits(connection, query, position, [one for _, one in shown]))
            here = any(hit.match is not Match.SIMILAR for hit in hits)
            others = () if position is None or here else other_castling(connection, position.epd, wanted)
            return Page(query, hits, total, more, others)

    def close(self) -> None:
        """Let go of what was built for this use only; the library stays open."""
        self.indexes.close()

    def _found(
        self,
        connection: Connection,
        query: Query,
        position: QueryPosition | None,
        wanted: Sequence[ColumnElement[bool]],
        often: Mapping[str, Frequency] | None,
    ) -> list[Found] | None:
        """All traps that answer, in no order; None if they are to be read in the order of the question instead."""
        played = None
        if query.min_frequency and often is not None:
            played = {slug for slug, frequency in often.items() if frequency.share >= query.min_frequency}
        named = find_names(connection, query.name, wanted) if query.name is not None else None
        if position is None and named is None:
            if played is None and query.order in _COLUMNS:
                return None
            slugs = connection.scalars(select(TrapRow.slug).where(*wanted))
            return [Found(slug, Match.FOUND) for slug in slugs if played is None or slug in played]
        fitting = [names for names in (named, played) if names is not None]

        def fits(slugs: Iterable[str]) -> set[str]:
            return {slug for slug in slugs if all(slug in names for names in fitting)}

        if position is None:
            return [Found(slug, Match.FOUND, distance) for slug, distance in (named or {}).items() if fits([slug])]
        at = list(_at(connection, position, wanted))
        found = [one for _, one in at if fits([one.slug])]
        if query.similar is not None:
            same = {number for number, _ in (_at(connection, position, ()) if wanted else at)}
            names = None if not fitting else {slug for slug in fitting[0] if fits([slug])}
            found += self._similar(connection, query, position, Conditions(wanted, names, same))
        return found

    def _similar(
        self, connection: Connection, query: Query, position: QueryPosition, others: Conditions
    ) -> Iterator[Found]:
        """The most similar traps that meet the other conditions, and whose killer is proved to work here."""
        measure, wanted = query.measure if query.measure is not None else self._measure, query.similar or 0
        k = wanted if query.unproved else wanted + MORE_CANDIDATES

        def fits(numbers: Collection[int]) -> Mapping[int, str]:
            return others.fitting(connection, numbers)

        if measure is IndexedMeasure.ABSTRACTED:
            index = self.indexes.killers(connection)
            lookup = partial(self._all_fitting, connection, query, others) if others.are_there else None
            found = similar_killers(position.epd, index.killers, index.weights, k + len(others.but), fits, lookup)
        elif measure is IndexedMeasure.CONTINUATIONS:
            found = self.indexes.positions(connection).nearest(position.epd, k, fits)
        else:
            found = compare_each(connection, position.epd, measure, k, others.wanted, fits)
        similar = [
            replace(one, similarity=min(one.similarity, _native.GREATEST_SIMILARITY)) for one in islice(found, k)
        ]
        enough = [one for one in similar if query.min_similarity is None or one.similarity >= query.min_similarity]
        proved = (one for one in _proved(connection, position, enough) if query.unproved or one.proof is not None)
        for one in islice(proved, wanted):
            yield Found(one.slug, Match.SIMILAR, -one.similarity, one)

    def _all_fitting(self, connection: Connection, query: Query, others: Conditions) -> _native.Payloads:
        """All traps that meet the conditions; kept for the next question with the same ones."""
        if others.names is not None or query.player is not None or query.event is not None:
            return others.all(connection)  # few, and changed by more than the traps
        position = replace(
            query, fen=None, moves=None, similar=None, measure=None, min_similarity=None, after=None, limit=1
        )
        key = (traps_state(connection), replace(position, sort=None))
        with self._lock:
            known = self._fitting.pop(key, None)
        made = known if known is not None else others.all(connection)
        with self._lock:
            self._fitting[key] = made
            for old in list(self._fitting)[:-_CACHED]:
                del self._fitting[old]
        return made

    def _hits(
        self, connection: Connection, query: Query, position: QueryPosition | None, found: Sequence[Found]
    ) -> Iterator[Hit]:
        slugs = [one.slug for one in found]
        traps = {trap.slug: trap for trap in traps_of_slugs(connection, slugs)}
        is_banded = query.min_rating is not None or query.max_rating is not None
        events = {} if is_banded else _events(connection, slugs)
        played = frequencies(connection, slugs, min_rating=query.min_rating, max_rating=query.max_rating)
        for one in found:
            if one.slug not in traps:
                continue  # it cannot be read, which is counted
            trap, frequency = traps[one.slug], played.get(one.slug, _NONE)
            if is_banded:
                # What was seen is not kept by ratings, but these two events are what the victims chose.
                chosen = {"avoided": frequency.decisions - frequency.played, "fell": frequency.played}
                events[one.slug] = {event: count for event, count in chosen.items() if count}
            bait, killer = _here(position, trap, one)
            similar = one.similar
            pair = None if similar is None else similar.pair
            proof = None if similar is None else similar.proof
            yield Hit(
                trap=trap,
                match=one.match,
                similarity=None if similar is None else similar.similarity,
                shared=None if pair is None else pair.shared(trap),
                bait_here=bait,
                killer_here=killer,
                mate_here=None if proof is None else proof.mate_in,
                loss_here=None if proof is None else proof.loss,
                frequency=frequency,
                events=events.get(one.slug, {}),
            )

    def _frequencies(self, connection: Connection, query: Query) -> Mapping[str, Frequency] | None:
        """Of all traps that occurred, if the question needs them."""
        if not query.min_frequency and query.order is not Sort.FREQUENCY:
            return None
        return frequencies(connection, min_rating=query.min_rating, max_rating=query.max_rating)

    def _cursor_secret(self, connection: Connection) -> bytes:
        if self._secret is None:
            stored = connection.scalar(select(MetaRow.value).where(MetaRow.key == CURSOR_SECRET))
            if stored is None:
                raise LibraryError(
                    f"{self.library.name} lacks {CURSOR_SECRET} in its table meta; put back a copy of it"
                )
            self._secret = stored.encode()
        return self._secret


def _proved(connection: Connection, position: QueryPosition, similar: Sequence[SimilarTrap]) -> Iterator[SimilarTrap]:
    """The similar traps, each with the proof that its killer works in the asked position if there is one."""
    prover = KillerProver(position.epd)
    lines = {
        trap.slug: (trap.line, tuple(map(mirror_move, trap.line)))
        for trap in traps_of_slugs(connection, [one.slug for one in similar if one.pair is None])
    }
    for one in similar:
        pair = one.pair
        here = lines.get(one.slug, ()) if pair is None else ((*pair.bait.uci, *pair.killer.uci),)
        yield replace(one, proof=prover.first(here))


def _position(query: Query) -> QueryPosition | None:
    moves = None
    if query.fen is not None:
        fen = query.fen.strip()
        parse_position(fen)  # which says best what is wrong with one
    elif query.moves is not None:
        board = chess.Board()
        played = read_moves(board, query.moves, "the moves")
        moves = board.variation_san(played) if played else ""
        for move in played:
            board.push(move)
        fen = board.fen()
    else:
        return None
    epd = _native.epd(fen)
    return QueryPosition(epd, _native.position_key(epd), moves)


_HERE = select(TrapRow.id, TrapRow.slug, TrapRow.key, TrapRow.moves).where(
    or_(TrapRow.key == bindparam("here"), TrapRow.mirror_key == bindparam("here"))
)


def _at(
    connection: Connection, position: QueryPosition, wanted: Sequence[ColumnElement[bool]]
) -> Iterator[tuple[int, Found]]:
    """The traps of the very position, in either colour, with their numbers."""
    here = _HERE.where(*wanted) if wanted else _HERE
    for number, slug, key, moves in connection.execute(here, {"here": position.key}):
        if key != position.key:
            yield number, Found(slug, Match.MIRRORED)
        else:
            another_order = position.moves is not None and moves is not None and moves != position.moves
            yield number, Found(slug, Match.TRANSPOSED if another_order else Match.EXACT)


def _placed(
    connection: Connection, order: Sort, found: Sequence[Found], often: Mapping[str, Frequency] | None
) -> list[tuple[Place, Found]]:
    """What was found, in this order."""
    values: Mapping[str, Place] = {}
    if order in _COLUMNS:
        slugs = [one.slug for one in found]
        values = {slug: (value,) for slug, value in _of_slugs(connection, slugs, _COLUMNS[order])}
    places: list[tuple[Place, Found]] = []
    for one in found:
        if order is Sort.MATCH:
            place: Place = (_RANKS[one.match], one.score)
        elif order is Sort.FREQUENCY:
            place = (-(often or {}).get(one.slug, _NONE).share,)
        else:
            place = values.get(one.slug, ())
        places.append(((*place, one.slug), one))
    return sorted(places, key=lambda placed: placed[0])


_COLUMNS: Mapping[Sort, ColumnElement[Any] | InstrumentedAttribute[Any]] = {
    Sort.SLUG: TrapRow.slug,
    Sort.NAME: TrapRow.name,
    Sort.LENGTH: TrapRow.length,
    Sort.GAIN: -func.coalesce(TrapRow.gain, -1.0),
}


def _listed(
    connection: Connection, query: Query, wanted: Sequence[ColumnElement[bool]], after: Place | None
) -> Iterator[tuple[Place, Found]]:
    """The first traps after a place in the order of the question, one more than the page holds if there are more."""
    column, slug = _COLUMNS[query.order], TrapRow.slug
    later = [] if after is None else [tuple_(column, slug) > after]
    rows = select(column, slug).where(*wanted, *later).order_by(column, slug).limit(query.limit + 1)
    for value, name in connection.execute(rows):
        yield (value, name), Found(name, Match.FOUND)


def _of_slugs(
    connection: Connection,
    slugs: Sequence[str],
    column: ColumnElement[Any] | InstrumentedAttribute[Any],
) -> Iterator[tuple[str, Any]]:
    for part in parts(slugs):
        rows = select(TrapRow.slug, column).where(TrapRow.slug.in_(part))
        yield from (tuple(row) for row in connection.execute(rows))


def _count(connection: Connection, wanted: Sequence[ColumnElement[bool]]) -> int | None:
    if (connection.scalar(select(func.max(TrapRow.id))) or 0) > COUNTED:
        return None
    return connection.scalar(select(func.count()).select_from(TrapRow).where(*wanted))


_EVENTS = (
    select(TrapRow.slug, SightingRow.event, func.count())
    .join_from(TrapRow, SightingRow, SightingRow.trap_id == TrapRow.id)
    .where(TrapRow.slug.in_(bindparam("slugs", expanding=True)), SightingRow.measure == BY_KEY)
    .group_by(TrapRow.slug, SightingRow.event)
    .order_by(TrapRow.slug, SightingRow.event)
)


def _events(connection: Connection, slugs: Sequence[str]) -> dict[str, dict[str, int]]:
    """How often the very position of each trap was seen with each event."""
    found: dict[str, dict[str, int]] = {}
    for slug, event, count in connection.execute(_EVENTS, {"slugs": list(slugs)}) if slugs else ():
        found.setdefault(slug, {})[event] = count
    return found


def _here(position: QueryPosition | None, trap: Trap, found: Found) -> tuple[Line | None, Line | None]:
    """Bait and killer line in the asked position: the trap's own in either colour, or what is like it."""
    if position is not None and found.similar is not None and found.similar.proof is not None:
        line = (found.similar.proof.bait, *found.similar.proof.killer_line)
        spelt = tuple(_native.sans(position.epd, line))
        return Line(line[:1], spelt[:1]), Line(line[1:], spelt[1:])
    if found.similar is not None and found.similar.pair is not None:
        return found.similar.pair.bait, found.similar.pair.killer
    if position is None or found.match not in (Match.EXACT, Match.TRANSPOSED, Match.MIRRORED):
        return None, None
    line = tuple(map(mirror_move, trap.line)) if found.match is Match.MIRRORED else trap.line
    spelt = tuple(_native.sans(position.epd, line))
    return Line(line[:1], spelt[:1]), Line(line[1:], spelt[1:])
