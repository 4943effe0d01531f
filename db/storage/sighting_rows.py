"""Rows of sightings, and how indexed games give them: by a join of the keys, without a second reading."""

from dataclasses import dataclass
from functools import lru_cache

import chess
from sqlalchemy import Connection, delete, exists, func, insert, select

from db.storage.bulk import BulkInsert, Value
from db.storage.column_types import shown, stored
from db.storage.row_check import skip
from db.storage.tables import GameRow, MetaRow, OccurrenceRow, PositionRow, SightingRow, SourceRow, TrapRow
from db.traps.events import choice
from db.traps.json_form import JSON_FORM
from trapcore.errors import InputError
from trapcore.io.bounded_numbers import whole_number
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position

BY_KEY = "key"
"""The measure of a sighting whose position is the trap's own."""

RECORDED_TRAPS = "swept_traps"

RECORDED = ("swept_games", RECORDED_TRAPS)
"""Facts in ``meta``: the highest number of a game and of a trap whose sightings are all recorded."""

MIRROR = 56 + 64 * 56
"""Turns the ranks of both squares of a coded move over, by exclusive or."""

_COLUMNS = ("trap_id", "game_id", "file", "game_number", "byte_offset", "ply", "event", "measure", "score", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One event of one trap in one game of a file."""

    __pydantic_config__ = JSON_FORM

    trap: str
    """Slug of the trap."""
    file: str
    """Absolute path of the PGN file, or ``stdin``."""
    game_number: int
    """From 1 within the file."""
    byte_offset: int
    """Of the game, within the decompressed file."""
    ply: int
    """Of the move that the event is about, from 1 at the game's first move."""
    event: str
    """``set``, ``fell``, ``avoided``, ``sprung`` or ``missed``."""
    measure: str = BY_KEY
    """By which the trap was recognised: a similarity measure, or ``key`` for the very position."""
    score: float = 1.0
    """Similarity, 0..1."""
    verdict: Verdict = Verdict.UNDECIDED
    """Of the trap in this position."""


def bait_code(connection: Connection, name: str, epd: str, bait: str, *, mirrored: bool) -> int | None:
    """A bait as the tables have it, in the trap's position or that with colours exchanged.

    None for a row that cannot be read, which is skipped and counted as the trap of this ``name``.
    """
    try:
        return move_code(epd, bait) ^ (MIRROR if mirrored else 0)
    except (InputError, ValueError, TypeError):
        skip(connection, f"trap {name}", f"the field bait holds {shown(bait)}, which is no legal move there")
        return None


@lru_cache(maxsize=4096)
def move_code(epd: str, uci: str) -> int:
    """A move as the tables have it: from + 64 * to + 4096 * promotion; castling is the king taking its rook.

    Raises `InputError` for a bad position and `ValueError` for a move that is not legal in it.
    """
    board = parse_position(epd)
    # In Chess960 mode python-chess turns either spelling of castling into king takes rook.
    board.chess960 = True
    return coded(board.parse_uci(uci))


def coded(move: chess.Move) -> int:
    """The same of a move in which castling is written so."""
    promotion = 0 if move.promotion is None else move.promotion - 1  # python-chess counts knights as 2, the tables as 1
    return move.from_square + 64 * move.to_square + 4096 * promotion


def record_occurrences(connection: Connection) -> int:
    """Record where the library's traps occurred in the indexed games, in either colour; how many were new.

    ``fell`` if the bait was played, ``avoided`` if another move was; a game that ended there gives none. What an
    earlier call has covered is not examined again.
    """
    meta = connection.execute(select(MetaRow).where(MetaRow.key.in_(RECORDED)))
    facts = {row.key: stored(whole_number, row.value) for row in meta}
    last_game = connection.scalar(select(func.max(GameRow.id))) or 0
    last_trap = connection.scalar(select(func.max(TrapRow.id))) or 0
    games_done, traps_done = (facts.get(name, 0) for name in RECORDED)
    found = 0
    if last_game > games_done or last_trap > traps_done:
        into = BulkInsert(connection, SightingRow, _COLUMNS)
        for mirrored in (False, True):
            key = TrapRow.mirror_key if mirrored else TrapRow.key
            columns = TrapRow.id, TrapRow.slug, TrapRow.epd, TrapRow.bait, TrapRow.verdict, PositionRow.id
            matches = select(*columns).join_from(TrapRow, PositionRow, PositionRow.key == key)
            if last_game == games_done:
                matches = matches.where(TrapRow.id > traps_done)
            rows = connection.execute(matches.order_by(TrapRow.id)).all()
            for trap_id, slug, epd, bait, verdict, position_id in rows:
                since = games_done if trap_id <= traps_done else 0
                code = bait_code(connection, slug, epd, bait, mirrored=mirrored)
                if code is None:
                    continue
                new = _rows(connection, trap_id, position_id, code, verdict, since)
                into.insert(new)
                found += len(new)
    connection.execute(delete(MetaRow).where(MetaRow.key.in_(RECORDED)))
    done = zip(RECORDED, (last_game, last_trap), strict=True)
    connection.execute(insert(MetaRow), [{"key": key, "value": str(value)} for key, value in done])
    return found


def _rows(
    connection: Connection, trap_id: int, position_id: int, bait: int, verdict: str, since: int
) -> list[tuple[Value, ...]]:
    seen = exists().where(
        SightingRow.trap_id == trap_id,
        SightingRow.file == SourceRow.path,
        SightingRow.game_number == GameRow.game_number,
        SightingRow.ply == OccurrenceRow.ply + 1,
        SightingRow.measure == BY_KEY,
    )
    occurred = (
        select(
            OccurrenceRow.game_id,
            SourceRow.path,
            GameRow.game_number,
            GameRow.byte_offset,
            OccurrenceRow.ply,
            OccurrenceRow.move,
        )
        .join_from(OccurrenceRow, GameRow, GameRow.id == OccurrenceRow.game_id)
        .join(SourceRow, SourceRow.id == GameRow.source_id)
        .where(OccurrenceRow.position_id == position_id, OccurrenceRow.game_id > since)
        .where(OccurrenceRow.move.is_not(None), ~seen)
        .order_by(OccurrenceRow.game_id, OccurrenceRow.ply)
    )
    return [
        (trap_id, game, path, number, offset, ply + 1, str(choice(move == bait)), BY_KEY, 1.0, verdict)
        for game, path, number, offset, ply, move in connection.execute(occurred)
    ]
