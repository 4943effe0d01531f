"""One value of each position, of which the deepest search wins.

Revision 0014, after 0013. What a losing move cost is the difference of two of them; the figures that were stored with
the moves become values, shallower than any that is found anew.
"""

import hashlib

import chess
import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "position_values",
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        sa.Column("effort", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_position_values"),
        sqlite_with_rowid=False,
    )
    _carry_over()
    for name in ("before", "after", "best"):
        op.drop_column("losing_moves", name)


def downgrade() -> None:
    op.add_column("losing_moves", sa.Column("before", sa.Float(), nullable=True))
    op.add_column("losing_moves", sa.Column("after", sa.Float(), nullable=True))
    op.add_column("losing_moves", sa.Column("best", sa.String(5), nullable=True))
    op.drop_table("position_values")


def _carry_over() -> None:
    """Make values of the figures of the losing moves; the first that a position has is kept."""
    connection = op.get_bind()
    moves = sa.table("losing_moves", *map(sa.column, ("game_id", "ply", "before", "after", "best")))
    games = sa.table("games", *map(sa.column, ("id", "start_fen", "moves")))
    values = sa.table("position_values", *map(sa.column, ("key", "chance", "effort", "line", "by")))
    wanted = (
        sa.select(games.c.start_fen, games.c.moves, moves.c.ply, moves.c.before, moves.c.after)
        .add_columns(moves.c.best)
        .join_from(moves, games, games.c.id == moves.c.game_id)
        .where(moves.c.before.is_not(None), moves.c.after.is_not(None))
        .order_by(moves.c.game_id, moves.c.ply)
    )
    found: dict[bytes, dict[str, object]] = {}
    for row in connection.execute(wanted):
        board = chess.Board() if row.start_fen is None else chess.Board(row.start_fen)
        board.chess960 = True  # so that the king may take its rook
        for ply in range(min(row.ply, len(row.moves) // 2)):
            key = _key(board)
            board.push(_move(int.from_bytes(row.moves[2 * ply : 2 * ply + 2], "little")))
        before = {"key": key, "chance": row.before, "effort": 0, "line": row.best or "", "by": ""}
        after = {"key": _key(board), "chance": -row.after, "effort": 0, "line": "", "by": ""}
        for value in (before, after):
            found.setdefault(value["key"], value)
    if found:
        connection.execute(sa.insert(values), list(found.values()))


def _move(code: int) -> chess.Move:
    """The move of this code; castling is the king taking its rook."""
    promotion = code >> 12
    return chess.Move(code & 63, code >> 6 & 63, promotion + 1 if promotion else None)


def _key(board: chess.Board) -> bytes:
    """Key of the position, version 1: BLAKE2b-128 of the EPD."""
    return hashlib.blake2b(board.epd().encode(), digest_size=16).digest()
