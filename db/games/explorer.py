"""Opening explorer: which moves were played in a position, how often and with which results, which of them are baits.

The games of a position are read once, as columns of numbers, and kept as long as their library is open; any question
about them, for any ratings and years, is then one pass over these columns. Games that are indexed meanwhile are
added when the position is asked for again. So there is no table of sums to keep up to date, which would have to know
beforehand what will be asked; ``python -m workshop.benchmarks explorer`` says what that costs.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict, Unpack

import chess
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from db.games.game_address import game_address
from db.games.index_games import RATINGS_READ
from db.library.library import Library
from db.storage.models import GameRow, MetaRow, OccurrenceRow, PositionRow, TrapRow
from db.storage.sighting_rows import MIRROR, coded
from db.storage.trap_rows import read_traps
from db.traps.json_form import JSON_FORM, to_dict
from db.traps.trap import Trap, read_moves
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror

SAMPLE_GAMES = 5
"""Most games that are shown for a bait."""

CACHED_ROWS = 2_000_000
"""Occurrences whose columns an `Explorer` keeps, of 20 bytes each: those of the positions asked for last."""

_STAMPS = (RATINGS_READ, "position_key_version")
_RESULTS = ("1-0", "1/2-1/2", "0-1")
_ENDED, _OTHER_RESULT, _UNKNOWN = -1, 3, 0
_CODES = 1 << 15
"""More than any coded move."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Occurrences of a position as columns."""

    game: NDArray[np.int64]
    ply: NDArray[np.int16]
    move: NDArray[np.int16]
    """Coded as in the tables; `_ENDED` where the game ended."""
    result: NDArray[np.int8]
    """Place in `_RESULTS`, or `_OTHER_RESULT`."""
    white: NDArray[np.int16]
    """Ratings; `_UNKNOWN` if so."""
    black: NDArray[np.int16]
    year: NDArray[np.int16]
    mirrored: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.game)

    @classmethod
    def of(cls, columns: Sequence[Sequence[Any]]) -> "_Rows":
        """``columns`` in the order of the fields."""
        kinds = (np.int64, np.int16, np.int16, np.int8, np.int16, np.int16, np.int16, np.bool_)
        return cls(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))

    def joined(self, other: "_Rows") -> "_Rows":
        """These, then the others."""
        return _Rows(*map(np.concatenate, zip(self._columns(), other._columns(), strict=True)))

    def chosen(self, chosen: NDArray[Any]) -> "_Rows":
        """Those of a mask, or at these places."""
        return _Rows(*(column[chosen] for column in self._columns()))

    def exchanged(self) -> "_Rows":
        """With colours exchanged."""
        move = np.where(self.move == _ENDED, _ENDED, self.move ^ MIRROR).astype(np.int16)
        result = np.array([2, 1, 0, _OTHER_RESULT], np.int8)[self.result]
        return _Rows(self.game, self.ply, move, result, self.black, self.white, self.year, ~self.mirrored)

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return tuple(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True, slots=True)
class BaitGame:
    """A game in which somebody took a bait."""

    __pydantic_config__ = JSON_FORM

    game: int
    """Its number in the library."""
    ply: int
    """Of the bait, from 1 at the game's first move."""
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    date: str
    result: str
    event: str
    address: str | None
    """Where the game can be seen: the tag Site, if that is a link."""
    mirrored: bool
    """The position occurred with colours exchanged."""


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move that was played in the position."""

    __pydantic_config__ = JSON_FORM

    uci: str
    san: str
    count: int
    """Times that it was played."""
    white: int
    """Of these, how many ended in a win for White,"""
    draws: int
    """in a draw,"""
    black: int
    """or in a win for Black; what is missing has no result."""
    mean_rating: int | None
    """Of those who played it; None if the rating of none is known."""
    last_year: int | None
    trap: str | None
    """Slug of the trap whose bait it is."""
    cost: float | None
    """Win chance that the bait gives away, 0..2; None if it is none, or its cost is not known."""
    fallers: tuple[BaitGame, ...]
    """Some games of a bait, with the strongest players first."""


@dataclass(frozen=True, slots=True)
class TrapHere:
    """A trap of the library whose position this is."""

    __pydantic_config__ = JSON_FORM

    slug: str
    name: str
    mirrored: bool
    """It is the trap's position with colours exchanged."""
    bait: str
    """UCI, in this position."""
    bait_san: str
    verdict: Verdict
    mate_in: int | None
    cost: float | None
    """Win chance that the bait gives away, 0..2; None if not known."""


@dataclass(frozen=True, slots=True)
class Explored:
    """What was played in a position. White and Black are those of the position, also where colours were exchanged."""

    __pydantic_config__ = JSON_FORM

    epd: str
    games: int
    white: int
    draws: int
    black: int
    """Games that ended so; those without a result are in ``games`` only."""
    moves: tuple[PlayedMove, ...]
    """The most played first, then by UCI."""
    traps: tuple[TrapHere, ...]
    """By slug, whether or not the bait was played."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


class GameFilter(TypedDict, total=False):
    """Which games count: those of these years, and of these ratings of the player who moved; None for any."""

    min_rating: int | None
    max_rating: int | None
    since: int | None
    until: int | None


def explore(
    library: Library,
    *,
    fen: str | None = None,
    moves: str | None = None,
    mirrored: bool = False,
    **games: Unpack[GameFilter],
) -> Explored:
    """Explorer's answer about one position, see `Explorer.explore`."""
    return Explorer(library).explore(fen=fen, moves=moves, mirrored=mirrored, **games)


class Explorer:
    """Answers about the positions of an open library; any number of threads may ask."""

    def __init__(self, library: Library, cached_rows: int = CACHED_ROWS) -> None:
        """``cached_rows``: how many occurrences to remember, 0 or more."""
        self._library = library
        self._most = cached_rows
        self._cached: OrderedDict[bytes, _Rows] = OrderedDict()
        self._stamp: tuple[tuple[str, str], ...] = ()
        self._lock = threading.Lock()

    def explore(
        self,
        *,
        fen: str | None = None,
        moves: str | None = None,
        mirrored: bool = False,
        **games: Unpack[GameFilter],
    ) -> Explored:
        """What was played in a position, given by FEN or by moves (SAN or UCI) from the usual start.

        With ratings, what players played whose rating is known and within these bounds; with years, what was played in
        these and between. ``mirrored`` counts the position with colours exchanged, too. Raises `UsageError`,
        `InputError` for a bad position or move, and `LibraryError`.
        """
        board = _board(fen, moves)
        ratings, years = _bounds(games)
        key = _native.position_key(board.fen())
        with self._library.database.read() as connection:
            rows = self._rows(connection, key)
            if mirrored:
                rows = rows.joined(self._rows(connection, _native.position_key(mirror(board.fen()))).exchanged())
            rows = _within(rows, _mover(board, rows), *ratings)
            rows = _within(rows, rows.year, *years)
            traps = _traps_here(connection, board, key)
            played = list(_played(connection, board, rows, {trap.bait: trap for trap in traps}))
        # A game that came here twice counts once.
        counted, firsts = np.unique(rows.game, return_index=True)
        white, draws, black = _results(rows.result[firsts])
        return Explored(
            epd=_native.epd(board.fen()),
            games=len(counted),
            white=white,
            draws=draws,
            black=black,
            moves=tuple(sorted(played, key=lambda move: (-move.count, move.uci))),
            traps=tuple(traps),
        )

    def _rows(self, connection: Connection, key: bytes) -> _Rows:
        """The occurrences of a position, by game and ply."""
        facts = select(MetaRow.key, MetaRow.value).where(MetaRow.key.in_(_STAMPS)).order_by(MetaRow.key)
        stamp = tuple((name, value) for name, value in connection.execute(facts))
        with self._lock:
            if stamp != self._stamp:
                self._cached.clear()
                self._stamp = stamp
            cached = self._cached.get(key)
        rows = _read(connection, key, int(cached.game[-1]) if cached is not None else 0)
        if cached is not None:
            rows = cached.joined(rows) if len(rows) else cached
        with self._lock:
            if stamp == self._stamp and len(rows):
                self._cached[key] = rows
                self._cached.move_to_end(key)
                while sum(map(len, self._cached.values())) > self._most:
                    self._cached.popitem(last=False)
        return rows


def _board(fen: str | None, moves: str | None) -> chess.Board:
    if (fen is None) == (moves is None):
        raise UsageError("a position is given by its FEN or by the moves that lead to it, and not by both")
    if fen is not None:
        return parse_position(fen)
    board = chess.Board()
    for move in read_moves(board, moves or "", "the moves"):
        board.push(move)
    return board


_Bounds = tuple[int | None, int | None]


def _bounds(games: GameFilter) -> tuple[_Bounds, _Bounds]:
    """Lowest and highest rating, first and last year."""
    ratings = games.get("min_rating"), games.get("max_rating")
    years = games.get("since"), games.get("until")
    _check_bounds("rating", *ratings)
    _check_bounds("year", *years)
    return ratings, years


def _check_bounds(what: str, least: int | None, most: int | None) -> None:
    for bound in (least, most):
        if bound is not None and not 1 <= bound <= 9999:
            raise UsageError(f"a {what} is a number from 1 to 9999, not {bound}")
    if least is not None and most is not None and least > most:
        raise UsageError(f"the lowest {what}, {least}, must not be above the highest, {most}")


def _mover(board: chess.Board, rows: _Rows) -> NDArray[np.int16]:
    """The ratings of those who decided."""
    return rows.white if board.turn == chess.WHITE else rows.black


def _within(rows: _Rows, values: NDArray[np.int16], least: int | None, most: int | None) -> _Rows:
    if least is None and most is None:
        return rows
    return rows.chosen((values != _UNKNOWN) & (values >= (least or 0)) & (values <= (most or 9999)))


def _read(connection: Connection, key: bytes, last: int) -> _Rows:
    """The occurrences in games after that of number ``last``."""
    position = connection.scalar(select(PositionRow.id).where(PositionRow.key == key))
    if position is None:
        return _Rows.of([()] * 8)
    wanted = (
        select(
            OccurrenceRow.game_id,
            OccurrenceRow.ply,
            OccurrenceRow.move,
            GameRow.result,
            GameRow.white_elo,
            GameRow.black_elo,
            GameRow.date,
        )
        .join_from(OccurrenceRow, GameRow, GameRow.id == OccurrenceRow.game_id)
        .where(OccurrenceRow.position_id == position, OccurrenceRow.game_id > last)
        .order_by(OccurrenceRow.game_id, OccurrenceRow.ply)
    )
    found = connection.execute(wanted).all()
    games, plies, moves, results, white, black, dates = zip(*found, strict=True) if found else [()] * 7
    numbers = {result: number for number, result in enumerate(_RESULTS)}
    years = {date: _year(date) for date in set(dates)}
    return _Rows.of(
        [
            games,
            plies,
            [_ENDED if move is None else move for move in moves],
            [numbers.get(result, _OTHER_RESULT) for result in results],
            [elo or _UNKNOWN for elo in white],
            [elo or _UNKNOWN for elo in black],
            [years[date] for date in dates],
            [False] * len(found),
        ]
    )


def _year(date: str) -> int:
    return int(date[:4]) if date[:4].isascii() and date[:4].isdigit() and len(date[:4]) == 4 else _UNKNOWN


def _results(results: NDArray[np.int8]) -> tuple[int, int, int]:
    white, draws, black, _ = np.bincount(results, minlength=4).tolist()
    return white, draws, black


def _traps_here(connection: Connection, board: chess.Board, key: bytes) -> list[TrapHere]:
    found = [_trap_here(board, trap, mirrored=False) for trap in read_traps(connection, TrapRow.key == key)]
    turned = read_traps(connection, TrapRow.mirror_key == key)
    found += [_trap_here(board, trap, mirrored=True) for trap in turned]
    return sorted(found, key=lambda trap: trap.slug)


def _trap_here(board: chess.Board, trap: Trap, *, mirrored: bool) -> TrapHere:
    bait = chess.Move.from_uci(trap.bait)
    if mirrored:
        squares = chess.square_mirror(bait.from_square), chess.square_mirror(bait.to_square)
        bait = chess.Move(*squares, bait.promotion)
    return TrapHere(
        slug=trap.slug,
        name=trap.name,
        mirrored=mirrored,
        bait=board.uci(bait),
        bait_san=board.san(bait),
        verdict=trap.verdict,
        mate_in=trap.mate_in,
        cost=trap.gain,
    )


def _played(
    connection: Connection, board: chess.Board, rows: _Rows, baits: Mapping[str, TrapHere]
) -> Iterator[PlayedMove]:
    # In Chess960 mode python-chess names castling as the tables do: the king takes its rook.
    wide = board.copy(stack=False)
    wide.chess960 = True
    legal = list(wide.legal_moves)
    numbers = np.zeros(_CODES, np.uint8)  # 0 for the end of the game; no position has more than 218 moves
    numbers[[coded(move) for move in legal]] = range(1, len(legal) + 1)
    number = numbers[rows.move]
    size, ratings = len(legal) + 1, _mover(board, rows)
    results = np.bincount(4 * number.astype(np.intp) + rows.result, minlength=4 * size).reshape(size, 4)
    rated = np.bincount(number, weights=ratings != _UNKNOWN, minlength=size)
    sums = np.bincount(number, weights=ratings, minlength=size)
    years = np.zeros(size, np.int16)
    np.maximum.at(years, number, rows.year)
    for at, move in enumerate(legal, start=1):
        if not results[at].any():
            continue
        white, draws, black, _ = results[at].tolist()
        trap = baits.get(board.uci(move))
        yield PlayedMove(
            uci=board.uci(move),
            san=wide.san(move),
            count=int(results[at].sum()),
            white=white,
            draws=draws,
            black=black,
            mean_rating=round(float(sums[at] / rated[at])) if rated[at] else None,
            last_year=int(years[at]) or None,
            trap=None if trap is None else trap.slug,
            cost=None if trap is None else trap.cost,
            fallers=() if trap is None else _fallers(connection, board, rows.chosen(number == at)),
        )


def _fallers(connection: Connection, board: chess.Board, rows: _Rows) -> tuple[BaitGame, ...]:
    best = rows.chosen(np.lexsort((rows.game, -rows.year, -_mover(board, rows)))[:SAMPLE_GAMES])
    numbers: list[int] = best.game.tolist()
    found = connection.execute(select(*_SHOWN).where(GameRow.id.in_(sorted(set(numbers)))))
    games = {game.id: game for game in found}
    return tuple(
        BaitGame(
            game=number,
            ply=ply + 1,
            **{name: getattr(games[number], name) for name in _TAGS},
            address=game_address(games[number].site),
            mirrored=mirrored,
        )
        for number, ply, mirrored in zip(numbers, best.ply.tolist(), best.mirrored.tolist(), strict=True)
    )


_TAGS = ("white", "black", "white_elo", "black_elo", "date", "result", "event")
_SHOWN = (GameRow.id, *(getattr(GameRow, name) for name in _TAGS), GameRow.site)
