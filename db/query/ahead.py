"""Traps ahead: the traps of the library that can still arise from a position, after which moves, and who fell.

Two sources say so. The lines by which the library's own traps arise are compared by positions, so that transpositions
count. The indexed games that had the position show the traps that stood on the board later.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import chess
from sqlalchemy import Connection, case, select

from db.games.trap_occurrences import exchanged
from db.library.library import Library
from db.query.query import AheadQuery
from db.storage.bulk import parts
from db.storage.sighting_rows import BY_KEY
from db.storage.tables import GameRow, OccurrenceRow, PositionRow, SightingRow, TrapRow
from db.storage.trap_rows import read_traps
from db.storage.value_rows import stored_values
from db.traps.answer import FrequencyAnswer, with_share
from db.traps.json_form import JSON_FORM, to_dict
from db.traps.openings import positions_of_opening
from db.traps.temptation import RATING_BANDS, Frequency, rating_band
from db.traps.terms import Event
from db.traps.trap import Trap, move_words, read_moves
from db.wording import moves as numbered_moves
from trapcore import _native
from trapcore.errors import InputError, UsageError
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, kw_only=True)
class TrapAhead:
    """A trap that can arise."""

    __pydantic_config__ = JSON_FORM

    trap: Trap
    """With colours exchanged if it arises so."""
    start: str
    """EPD of the position from which ``moves`` lead to it: of those that were asked about, the last before it."""
    moves: tuple[str, ...]
    """SAN from that position to that of the trap; empty if it is that very position."""
    number: int
    """Full-move number of that position, in the line or the game that ``moves`` are from."""
    games: int
    """Indexed games that had both positions."""
    fell: int
    """Of these, the games in which the bait was played."""
    by_rating: Mapping[str, FrequencyAnswer]
    """The same by the rating of who could fall, the lowest band first; empty if no rating is known."""
    better: str
    """SAN of the best move in the trap's position, if the library knows it; else empty."""

    @property
    def plies(self) -> int:
        """Moves of either side until the trap stands."""
        return len(self.moves)

    @property
    def numbered(self) -> str:
        """The moves with their numbers: ``4...g6 5.Nxe5``."""
        return numbered_moves.line(self.moves, 2 * self.number + (self.start.split()[1] == "b"))


@dataclass(frozen=True, kw_only=True)
class AheadPage:
    """The traps ahead: those that most people fell for first, then those that arise most often and soonest."""

    __pydantic_config__ = JSON_FORM

    names: tuple[str, ...]
    """Openings that were meant; empty for a position."""
    traps: tuple[TrapAhead, ...]
    total: int
    """Traps ahead in all; ``traps`` has the first of them."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


class _Start(NamedTuple):
    """What was asked about."""

    epds: Mapping[bytes, str]
    """The positions by their keys."""
    names: tuple[str, ...]


class _Line(NamedTuple):
    """How a trap arises."""

    start: str
    """EPD of a position that was asked about."""
    moves: tuple[str, ...]
    """SAN from there."""
    number: int
    """Full-move number there."""


class _Stood(NamedTuple):
    """What the indexed games say of a trap, in one colour."""

    epd: str
    """Where it stood."""
    line: _Line
    """In the game that came there soonest."""
    players: Sequence[tuple[int | None, bool]]
    """Of each game: the rating of who could fall, and whether he fell."""

    @property
    def fell(self) -> int:
        return sum(fell for _, fell in self.players)

    @property
    def by_rating(self) -> dict[str, FrequencyAnswer]:
        if all(rating is None for rating, _ in self.players):
            return {}
        bands = [(rating_band(rating), fell) for rating, fell in self.players]
        counted = {each: [fell for band, fell in bands if band == each] for each in RATING_BANDS}
        return {
            str(each): with_share(Frequency(decisions=len(chosen), played=sum(chosen)))
            for each, chosen in counted.items()
            if chosen
        }


_Ratings = tuple[int | None, int | None]
"""Lowest and highest rating of those who had the choice."""

_Place = tuple[int, int]
"""A trap's number, and whether White (0) or Black (1) is its victim by the count of plies."""


def traps_ahead(library: Library, query: AheadQuery) -> AheadPage:
    """The proved traps that can arise within ``query.plies`` from the position, or from the opening, asked about.

    Raises `UsageError` for an opening that nobody knows, `InputError` for a FEN that cannot be read, and
    `LibraryError`.
    """
    start = _start(query.start)
    found = _found(library, start.epds, query.plies, query.victim, (query.min_rating, query.max_rating))
    return AheadPage(names=start.names, traps=tuple(found[: query.limit]), total=len(found))


def traps_ahead_of(library: Library, epds: Iterable[str], *, plies: int, victim: str | None = None) -> list[TrapAhead]:
    """The same for the positions of a repertoire, or of a player's games: all traps within ``plies`` of one of them.

    Raises `LibraryError`.
    """
    known = {_native.position_key(epd): epd for epd in epds}
    return _found(library, known, plies, victim)


def _found(
    library: Library, starts: Mapping[bytes, str], plies: int, victim: str | None, ratings: _Ratings = (None, None)
) -> list[TrapAhead]:
    with library.database.read() as connection:
        lines = _by_lines(connection, starts, plies)
        stood = _by_games(connection, starts, plies, ratings)
        found = [one for one in _ahead(connection, lines, stood) if victim in (None, one.trap.victim)]
    return sorted(found, key=lambda one: (-one.fell, -one.games, one.plies, one.trap.slug))


def boards_of(text: str) -> list[tuple[chess.Board, str]]:
    """The positions that a text names, each with the name of the opening if that was given: a FEN, moves from the usual
    start, or the name or ECO code of an opening, which may have several.

    Boards of moves have them. Raises `UsageError` for an opening that nobody knows, `PositionError` for a FEN that
    cannot be read.
    """
    if "/" in text:
        return [(parse_position(text), "")]
    board = chess.Board()
    try:
        for move in read_moves(board, text, "the moves"):
            board.push(move)
    except InputError as error:
        # Only now, because to compare a text with all names takes longest.
        if named := positions_of_opening(text):
            return [(parse_position(epd), name) for epd, name in named.items()]
        raise UsageError("{text!r} is no opening, ECO code or FEN ({error})", text=text, error=error.message) from error
    return [(board, "")]


def _start(text: str) -> _Start:
    named = [(_native.epd(board.fen()), name) for board, name in boards_of(text)]
    return _Start(
        {_native.position_key(epd): epd for epd, _ in named}, tuple(sorted({name for _, name in named if name}))
    )


def _by_lines(connection: Connection, starts: Mapping[bytes, str], plies: int) -> dict[_Place, _Line]:
    """The traps whose own line leads through one of these positions, with what of the line is left."""
    rows = select(TrapRow.id, TrapRow.moves).where(TrapRow.moves.is_not(None), TrapRow.verdict == str(Verdict.PROVED))
    lines = [(number, moves) for number, moves in connection.execute(rows.order_by(TrapRow.id)) if moves is not None]
    found = {}
    for (trap_id, moves), keys in zip(lines, keys_of_lines([moves for _, moves in lines]), strict=True):
        at = next((ply for ply in reversed(range(len(keys))) if keys[ply] in starts), None)
        end = len(keys) - 1
        if at is not None and end - at <= plies:
            found[trap_id, end % 2] = _Line(starts[keys[at]], move_words(moves)[at:], 1 + at // 2)
    return found


def keys_of_lines(lines: Sequence[str]) -> list[Sequence[bytes]]:
    """The keys of the positions of each line, from the usual start on; none for one that cannot be read."""
    text = "".join(f'[Event "?"]\n\n{line} *\n\n' for line in lines)
    splitter = _native.PgnSplitter()
    batches = [*splitter.feed(text.encode()), *splitter.finish()]
    read = {record.game: record.keys for batch in batches for record in _native.read_records(batch).records}
    return [read.get(number, ()) for number in range(1, len(lines) + 1)]


def _by_games(
    connection: Connection, starts: Mapping[bytes, str], plies: int, ratings: _Ratings
) -> dict[_Place, _Stood]:
    """The traps that stood on the board in indexed games after one of these positions."""
    before, after = OccurrenceRow.ply, SightingRow.ply - 1
    rating = case((after % 2 == 0, GameRow.white_elo), else_=GameRow.black_elo)
    here = (
        select(SightingRow.trap_id, SightingRow.event, GameRow.id, before, after, rating)
        .join_from(PositionRow, OccurrenceRow, OccurrenceRow.position_id == PositionRow.id)
        .join(SightingRow, SightingRow.game_id == OccurrenceRow.game_id)
        .join(GameRow, GameRow.id == OccurrenceRow.game_id)
        .where(SightingRow.measure == BY_KEY)
        .where(SightingRow.event.in_((str(Event.FELL), str(Event.AVOIDED))))
        .where(after >= before, after - before <= plies)
    )
    lowest, highest = ratings
    if lowest is not None:
        here = here.where(rating >= lowest)
    if highest is not None:
        here = here.where(rating <= highest)
    fallen: dict[_Place, dict[int, tuple[int | None, bool]]] = {}
    soonest: dict[_Place, tuple[int, int, int]] = {}
    rows = [row for some in parts(starts) for row in connection.execute(here.where(PositionRow.key.in_(some)))]
    for trap_id, event, game, at, end, elo in sorted(rows, key=lambda row: (row[4] - row[3], -row[2])):
        place = trap_id, end % 2
        soonest.setdefault(place, (game, at, end))
        games = fallen.setdefault(place, {})
        games[game] = elo, games.get(game, (elo, False))[1] or event == Event.FELL
    return {
        place: _Stood(epd, line, list(fallen[place].values())) for place, epd, line in _replayed(connection, soonest)
    }


def _replayed(
    connection: Connection, places: Mapping[_Place, tuple[int, int, int]]
) -> Iterator[tuple[_Place, str, _Line]]:
    """Of each place (game, ply of the start, ply of the trap): the trap's position, and the line to it."""
    rows: dict[int, tuple[str | None, bytes]] = {}
    for some in parts({game for game, _, _ in places.values()}):
        wanted = select(GameRow.id, GameRow.start_fen, GameRow.moves).where(GameRow.id.in_(some))
        rows |= {number: (start, moves) for number, start, moves in connection.execute(wanted)}
    asked = [(*rows[game], list(range(at, end + 1))) for game, at, end in places.values()]
    for (place, (game, at, _)), line in zip(places.items(), _native.replay(asked), strict=True):
        if line:  # of a row that was changed by hand there may be none
            *ucis, _ = (uci for _, uci in line)
            start = line[0][0]
            yield place, line[-1][0], _Line(start, tuple(_native.sans(start, ucis)), _number(rows[game][0], at))


def _number(start: str | None, plies: int) -> int:
    """Full-move number after so many moves of a game, from the usual start or from this FEN."""
    board = chess.Board() if start is None else parse_position(start)
    return board.fullmove_number + (plies + (not board.turn)) // 2


def _ahead(
    connection: Connection, lines: Mapping[_Place, _Line], stood: Mapping[_Place, _Stood]
) -> Iterator[TrapAhead]:
    """The traps with what is known of each."""
    traps: dict[int, Trap] = {}
    for some in parts({number for number, _ in (*lines, *stood)}):
        rows = connection.execute(select(TrapRow.slug, TrapRow.id).where(TrapRow.id.in_(some)))
        numbers = dict(rows.all())
        proved = read_traps(connection, TrapRow.id.in_(some), TrapRow.verdict == str(Verdict.PROVED))
        traps |= {numbers[trap.slug]: trap for trap in proved}
    placed = []
    for place in sorted({*lines, *stood}):
        trap = traps.get(place[0])
        if trap is not None:
            seen = stood.get(place)
            turned = exchanged(trap) if seen is not None and seen.epd != trap.epd else trap
            placed.append((turned, lines.get(place) or stood[place].line, seen))
    worth = stored_values(connection, [trap.epd for trap, _, _ in placed])
    for trap, line, seen in placed:
        value = worth.get(trap.epd)
        best = value.line[:1] if value is not None and value.line[:1] != (trap.bait,) else ()
        yield TrapAhead(
            trap=trap,
            start=line.start,
            moves=line.moves,
            number=line.number,
            games=0 if seen is None else len(seen.players),
            fell=0 if seen is None else seen.fell,
            by_rating={} if seen is None else seen.by_rating,
            better="".join(_native.sans(trap.epd, best)),
        )
