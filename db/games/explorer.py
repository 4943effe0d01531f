"""Opening explorer: which moves were played in a position, how often and with which results, which of them are baits.

The database adds up what was played, whenever somebody asks. So there is no table of sums to keep up to date, which
would have to know beforehand what will be asked.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict, Unpack

import chess
from sqlalchemy import Connection, Select, case, func, select

from db.games.game_address import game_address
from db.games.trap_occurrences import year_of
from db.library.library import Library
from db.storage.sighting_rows import MIRROR, coded
from db.storage.tables import GameRow, OccurrenceRow, PositionRow, TrapRow
from db.storage.trap_rows import read_traps
from db.traps.json_form import JSON_FORM, to_dict
from db.traps.temptation import RATING_BANDS, UNKNOWN_RATING
from db.traps.trap import Trap, read_moves
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror, mirror_move

SAMPLE_GAMES = 5
"""Most games that are shown for a bait."""

_WHITE, _DRAW, _BLACK = "1-0", "1/2-1/2", "0-1"
_EXCHANGED = {_WHITE: _BLACK, _BLACK: _WHITE}
_HIGHEST = next(str(band) for band in RATING_BANDS if band.most is None and band.least is not None)
_YEAR = func.substr(GameRow.date, 1, 4)


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
    by_rating: dict[str, int]
    """Times that it was played by players of each rating (``1200-1599``, ``unknown``), the weakest first."""
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
    """What was played in a position, given by FEN or by moves (SAN or UCI) from the usual start.

    With ratings, what players played whose rating is known and within these bounds; with years, what was played in
    these and between. ``mirrored`` counts the position with colours exchanged, too. Raises `UsageError`, `InputError`
    for a bad position or move, and `LibraryError`.
    """
    board = board_of(fen, moves)
    ratings, years = _bounds(games)
    views = [_View(board.fen(), False, board.turn, ratings, years)]
    if mirrored:
        views.append(_View(mirror(board.fen()), True, not board.turn, ratings, years))
    results: Counter[str] = Counter()
    played: defaultdict[int, _Sums] = defaultdict(_Sums)
    with library.database.read() as connection:
        for view in views:
            results.update(view.results(connection))
            view.add_up(connection, played)
        traps = _traps_here(connection, board)
        shown = list(_played(connection, board, views, played, {trap.bait: trap for trap in traps}))
    return Explored(
        epd=_native.epd(board.fen()),
        games=results.total(),
        white=results[_WHITE],
        draws=results[_DRAW],
        black=results[_BLACK],
        moves=tuple(sorted(shown, key=lambda move: (-move.count, move.uci))),
        traps=tuple(traps),
    )


_Bounds = tuple[int | None, int | None]


@dataclass(slots=True)
class _Sums:
    """What is known of those who played a move."""

    results: Counter[str] = field(default_factory=Counter)
    bands: Counter[str] = field(default_factory=Counter)
    rated: int = 0
    ratings: int = 0
    """The sum of them."""
    last_year: int | None = None


class _View(NamedTuple):
    """The games that reached a position, as they are counted."""

    fen: str
    mirrored: bool
    """Colours are exchanged."""
    turn: chess.Color
    ratings: _Bounds
    years: _Bounds

    def results(self, connection: Connection) -> Counter[str]:
        """The games by their results. A game that came here twice counts once."""
        found: Counter[str] = Counter()
        counted = self._of_position(GameRow.result, _YEAR, func.count(OccurrenceRow.game_id.distinct()))
        for result, year, games in connection.execute(counted.group_by(GameRow.result, _YEAR)):
            if self._is_within(year):
                found[self._result(result)] += games
        return found

    def add_up(self, connection: Connection, played: Mapping[int, _Sums]) -> None:
        """Add what was played to the sums by coded move."""
        elo = self._elo()
        figures = func.count(), func.count(elo), func.sum(elo)
        below = [(elo <= band.most, str(band)) for band in RATING_BANDS if band.most is not None]
        rest = (elo.is_(None), str(UNKNOWN_RATING))
        band = case(rest, *below, else_=_HIGHEST).label("band")
        counted = self._of_position(OccurrenceRow.move, GameRow.result, _YEAR, band, *figures)
        counted = counted.where(OccurrenceRow.move.is_not(None))
        for move, result, date, rating, count, rated, ratings in connection.execute(
            counted.group_by(OccurrenceRow.move, GameRow.result, _YEAR, "band")
        ):
            if self._is_within(date):
                sums, year = played[self._code(move)], year_of(date)
                sums.results[self._result(result)] += count
                sums.bands[rating] += count
                sums.rated += rated
                sums.ratings += ratings or 0
                sums.last_year = max(filter(None, (sums.last_year, year)), default=None)

    def fallers(self, connection: Connection, move: int) -> Iterator[tuple[int, BaitGame]]:
        """The games in which a coded move was played, each with the rating of who played it, 0 if that is unknown."""
        columns = [getattr(GameRow, name) for name in _TAGS]
        wanted = self._of_position(GameRow.id, OccurrenceRow.ply, func.coalesce(self._elo(), 0), GameRow.site, *columns)
        here = wanted.where(OccurrenceRow.move == self._code(move)).order_by(GameRow.id, OccurrenceRow.ply)
        for number, ply, elo, site, *tags in connection.execute(here):
            known = dict(zip(_TAGS, tags, strict=True))
            if self._is_within(known["date"]):
                address = game_address(site)
                yield elo, BaitGame(game=number, ply=ply + 1, **known, address=address, mirrored=self.mirrored)

    def _of_position(self, *columns: Any) -> Select[Any]:
        elo, (least, most) = self._elo(), self.ratings
        found = (
            select(*columns)
            .join_from(OccurrenceRow, PositionRow, PositionRow.id == OccurrenceRow.position_id)
            .join(GameRow, GameRow.id == OccurrenceRow.game_id)
            .where(PositionRow.key == _native.position_key(self.fen))
        )
        if least is not None:
            found = found.where(elo >= least)
        return found if most is None else found.where(elo <= most)

    def _elo(self) -> Any:
        """The rating of who decided."""
        return GameRow.white_elo if self.turn == chess.WHITE else GameRow.black_elo

    def _is_within(self, date: str) -> bool:
        least, most = self.years
        if least is None and most is None:
            return True
        year = year_of(date)
        return year is not None and (least or 0) <= year <= (most or 9999)

    def _result(self, result: str) -> str:
        return _EXCHANGED.get(result, result) if self.mirrored else result

    def _code(self, move: int) -> int:
        return move ^ MIRROR if self.mirrored else move


def board_of(fen: str | None, moves: str | None) -> chess.Board:
    """The position of a FEN, or after moves (SAN or UCI) from the usual start. Raises `UsageError` and `InputError`."""
    if (fen is None) == (moves is None):
        raise UsageError("give a position by its FEN or by the moves that lead to it, and not by both")
    if fen is not None:
        return parse_position(fen)
    board = chess.Board()
    for move in read_moves(board, moves or "", "the moves"):
        board.push(move)
    return board


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


def _traps_here(connection: Connection, board: chess.Board) -> list[TrapHere]:
    key = _native.position_key(board.fen())
    found = [_trap_here(board, trap, mirrored=False) for trap in read_traps(connection, TrapRow.key == key)]
    turned = read_traps(connection, TrapRow.mirror_key == key)
    found += [_trap_here(board, trap, mirrored=True) for trap in turned]
    return sorted(found, key=lambda trap: trap.slug)


def _trap_here(board: chess.Board, trap: Trap, *, mirrored: bool) -> TrapHere:
    bait = chess.Move.from_uci(mirror_move(trap.bait) if mirrored else trap.bait)
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
    connection: Connection,
    board: chess.Board,
    views: list[_View],
    played: Mapping[int, _Sums],
    baits: Mapping[str, TrapHere],
) -> Iterator[PlayedMove]:
    # In Chess960 mode python-chess names castling as the tables do: the king takes its rook.
    wide = board.copy(stack=False)
    wide.chess960 = True
    for move in wide.legal_moves:
        if (sums := played.get(coded(move))) is None:
            continue
        trap = baits.get(board.uci(move))
        yield PlayedMove(
            uci=board.uci(move),
            san=wide.san(move),
            count=sums.results.total(),
            white=sums.results[_WHITE],
            draws=sums.results[_DRAW],
            black=sums.results[_BLACK],
            mean_rating=round(sums.ratings / sums.rated) if sums.rated else None,
            by_rating={str(band): sums.bands[str(band)] for band in RATING_BANDS if sums.bands[str(band)]},
            last_year=sums.last_year,
            trap=None if trap is None else trap.slug,
            cost=None if trap is None else trap.cost,
            fallers=() if trap is None else _fallers(connection, views, coded(move)),
        )


def _fallers(connection: Connection, views: list[_View], move: int) -> tuple[BaitGame, ...]:
    found = [each for view in views for each in view.fallers(connection, move)]
    found.sort(key=lambda each: (-each[0], -(year_of(each[1].date) or 0), each[1].game))
    return tuple(game for _, game in found[:SAMPLE_GAMES])


_TAGS = ("white", "black", "white_elo", "black_elo", "date", "result", "event")
