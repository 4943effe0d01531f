"""Moves that are played in many of the indexed games: candidates for `db.mining.mine`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from db.library.library import Library
from db.storage.bulk import BulkLookup
from db.storage.tables import GameRow, OccurrenceRow
from trapcore import _native

_PLIES = 1 << 16  # more than a game has; game and ply in one number, so that SQL finds the first of both


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move in a position that occurred."""

    position_id: int
    move: int
    """Coded as in `db.storage.tables.GameRow.moves`."""
    played: int
    """Games in which it was played; a game counts once, however often it came back to the position."""
    game_id: int
    """The first game in which it was."""
    ply: int
    """Moves made in that game before it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate as chess."""

    candidate: Candidate
    epd: str
    """Before the move."""
    bait: str
    """UCI."""
    before: tuple[str, ...] | None
    """The moves (UCI) of the game until there; None if it did not begin as games do."""
    epds: tuple[str, ...]
    """The positions of the game until there, the first and this one included."""


def candidates(library: Library, min_games: int, min_rating: int | None, max_rating: int | None) -> list[Candidate]:
    """The moves played in ``min_games`` games or more.

    With a rating only the choices of players within it count, of games that began as games do (their plies say who
    moves). In the order of positions and moves.
    """
    played = OccurrenceRow.move.is_not(None)
    within = _within(min_rating, max_rating)
    first = func.min(OccurrenceRow.game_id * _PLIES + OccurrenceRow.ply)
    games = func.count(OccurrenceRow.game_id.distinct())
    often = select(OccurrenceRow.position_id, OccurrenceRow.move, games, first).where(played)
    if within is not None:
        often = often.join(GameRow, GameRow.id == OccurrenceRow.game_id).where(within)
    often = often.group_by(OccurrenceRow.position_id, OccurrenceRow.move).having(games >= min_games)
    with library.database.read() as connection:
        rows = connection.execute(often.order_by(OccurrenceRow.position_id, OccurrenceRow.move))
        return [Candidate(position, int(move or 0), count, *divmod(at, _PLIES)) for position, move, count, at in rows]


def places(library: Library, part: Sequence[Candidate]) -> list[Place]:
    """The candidates as chess; one whose game cannot be replayed is left out."""
    by_game: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in part:
        by_game[candidate.game_id].append(candidate)
    with library.database.read() as connection:
        games = _games(connection, sorted(by_game))
    games_to_replay = [
        (start, moves, list(range(1 + max(c.ply for c in by_game[game])))) for game, start, moves in games
    ]
    found = []
    for (game, start, _), line in zip(games, _native.replay(games_to_replay), strict=True):
        epds, moves = tuple(epd for epd, _ in line), tuple(move for _, move in line)
        for candidate in by_game[game]:
            ply = candidate.ply
            if ply < len(line):
                before = moves[:ply] if start is None else None
                found.append(Place(candidate, epds[ply], moves[ply], before, epds[: ply + 1]))
    return found


def _games(connection: Connection, numbers: Sequence[int]) -> list[tuple[int, str | None, bytes]]:
    wanted = BulkLookup(connection, [GameRow.id, GameRow.start_fen, GameRow.moves], GameRow.id)
    return [(game, start, moves) for game, start, moves in wanted.find(numbers)]


def _within(least: int | None, most: int | None) -> ColumnElement[bool] | None:
    """That the player to move has such a rating; None if any will do."""
    if least is None and most is None:
        return None
    rating = case((OccurrenceRow.ply % 2 == 0, GameRow.white_elo), else_=GameRow.black_elo)
    bounds: list[ColumnElement[bool]] = [GameRow.start_fen.is_(None)]
    if least is not None:
        bounds.append(rating >= least)
    if most is not None:
        bounds.append(rating <= most)
    return and_(*bounds)
