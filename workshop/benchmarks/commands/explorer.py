"""Questions about positions of 10,000 master games: the first and those after it, against sums made by the database."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chess
from sqlalchemy import func, select

from db.games.explorer import Explored, Explorer, explore
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.storage.models import GameRow, OccurrenceRow, PositionRow
from trapcore import _native
from workshop.benchmarks.material import MASTERS
from workshop.benchmarks.table import Row, cpu_seconds

LINES = ("", "e4", "e4 e5 Nf3 Nc6")
"""From the usual start to ever rarer positions."""


def rows() -> list[Row]:
    """For each position: the first answer, the same again, and again for a band of ratings."""
    found = []
    with tempfile.TemporaryDirectory() as folder, open_library(Path(folder) / "l.sqlite", create=True) as library:
        index_files(library, [MASTERS])
        for line in LINES:
            explorer = Explorer(library)
            count = explorer.explore(moves=line).games
            sums = cpu_seconds(partial(_sums, library, line))
            ways: dict[str, Callable[[], Explored]] = {
                "first": partial(explore, library, moves=line),
                "again": partial(explorer.explore, moves=line),
                "again, 2400 and more": partial(explorer.explore, moves=line, min_rating=2400),
            }
            for way, ask in ways.items():
                seconds = cpu_seconds(ask)
                what = f"{line or 'start'} ({count:,} games), {way}"
                found.append(Row(what, f"{1000 * seconds:.1f} ms", f"{1000 * sums:.1f} ms by SQL", sums / seconds))
    return found


def _sums(library: Library, line: str) -> list[object]:
    """Moves, results and ratings of a position as the database sums them up, without names, traps or games."""
    board = chess.Board()
    for san in line.split():
        board.push_san(san)
    elo = GameRow.white_elo if board.turn else GameRow.black_elo
    wanted = (
        select(OccurrenceRow.move, GameRow.result, func.count(), func.avg(elo), func.max(GameRow.date))
        .join_from(OccurrenceRow, PositionRow, PositionRow.id == OccurrenceRow.position_id)
        .join(GameRow, GameRow.id == OccurrenceRow.game_id)
        .where(PositionRow.key == _native.position_key(board.fen()))
        .group_by(OccurrenceRow.move, GameRow.result)
    )
    with library.database.read() as connection:
        return list(connection.execute(wanted))
