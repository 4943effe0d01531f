"""What was played in a position of the indexed games, by everybody and by players of a rating."""

from dataclasses import dataclass

import chess
from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.library.library import Library
from db.storage.sighting_rows import coded
from db.storage.tables import GameRow, OccurrenceRow, PositionRow
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.errors import UsageError


@dataclass(frozen=True, slots=True)
class PlayedReply:
    """How often a move was played in a position."""

    by_all: int
    by_band: int
    """By those of the rating alone."""
    ended: int
    """Their games that have a result,"""
    points: float
    """and what they scored in them."""


def played_in(connection: Connection, board: chess.Board, band: RatingBand) -> dict[str, PlayedReply]:
    """By UCI, the moves that were played in a position; of games without the position, none."""
    position = connection.scalar(select(PositionRow.id).where(PositionRow.key == _native.position_key(board.fen())))
    if position is None:
        return {}
    rating = GameRow.white_elo if board.turn == chess.WHITE else GameRow.black_elo
    within = _within(rating, band)
    won = "1-0" if board.turn == chess.WHITE else "0-1"
    ended = and_(within, GameRow.result.in_(("1-0", "0-1", "1/2-1/2")))
    halves = case((GameRow.result == won, 2), (GameRow.result == "1/2-1/2", 1), else_=0)
    counted = (
        select(
            OccurrenceRow.move,
            func.count(),
            func.sum(case((within, 1), else_=0)),
            func.sum(case((ended, 1), else_=0)),
            func.sum(case((ended, halves), else_=0)),
        )
        .join_from(OccurrenceRow, GameRow, GameRow.id == OccurrenceRow.game_id)
        .where(OccurrenceRow.position_id == position, OccurrenceRow.move.is_not(None))
        .group_by(OccurrenceRow.move)
    )
    # In Chess960 mode python-chess names castling as the tables do: the king takes its rook.
    wide = board.copy(stack=False)
    wide.chess960 = True
    names = {coded(move): board.uci(move) for move in wide.legal_moves}
    return {
        names[move]: PlayedReply(by_all, int(by_band), int(has_result), int(points) / 2)
        for move, by_all, by_band, has_result, points in connection.execute(counted)
        if move in names
    }


def check_games(library: Library, band: RatingBand) -> int:
    """Number of indexed games with a player of that rating. Raises `UsageError` if there is none."""
    with library.database.read() as connection:
        games = connection.scalar(select(func.count()).select_from(GameRow)) or 0
        either = or_(_within(GameRow.white_elo, band), _within(GameRow.black_elo, band))
        found = connection.scalar(select(func.count()).select_from(GameRow).where(either)) or 0
    if not games:
        raise UsageError(f"no games are indexed in {library.name}; `trapline index FILE` reads some")
    if not found:
        raise UsageError(
            f"none of the {games:,} indexed games has a player rated {band}; choose another rating, or index games of "
            "such players with `trapline index FILE`"
        )
    return found


def _within(rating: InstrumentedAttribute[int | None], band: RatingBand) -> ColumnElement[bool]:
    bounds: list[ColumnElement[bool]] = [rating.is_not(None)]
    if band.least is not None:
        bounds.append(rating >= band.least)
    if band.most is not None:
        bounds.append(rating <= band.most)
    return and_(*bounds)
