"""One value of each position, of which the deepest search wins.

Revision 0014, after 0013. What a losing move cost is the difference of two of them; the figures that were stored with
the moves become values, shallower than any that is found anew.
"""

import sqlalchemy as sa
from alembic import op

from trapcore import _native
from trapcore.trees.chess_game import parse_position

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_AT_A_TIME = 500


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
    games = sa.table("games", *map(sa.column, ("id", "start_fen", "moves", "plies")))
    values = sa.table("position_values", *map(sa.column, ("key", "chance", "effort", "line", "by")))
    wanted = (
        sa.select(games.c.start_fen, games.c.moves, games.c.plies, moves.c.ply, moves.c.before, moves.c.after)
        .add_columns(moves.c.best)
        .join_from(moves, games, games.c.id == moves.c.game_id)
        .where(moves.c.before.is_not(None), moves.c.after.is_not(None))
        .order_by(moves.c.game_id, moves.c.ply)
    )
    found: dict[bytes, dict[str, object]] = {}
    rows = connection.execute(wanted).all()
    for start in range(0, len(rows), _AT_A_TIME):
        part = rows[start : start + _AT_A_TIME]
        lines = _native.replay([(row.start_fen, row.moves, [row.ply - 1]) for row in part])
        for row, line in zip(part, lines, strict=True):
            for epd, uci in line:
                after = parse_position(epd)
                after.push_uci(uci)
                for key, chance, best in (
                    (_native.position_key(epd), row.before, row.best or ""),
                    (_native.position_key(after.fen()), -row.after, ""),
                ):
                    found.setdefault(key, {"key": key, "chance": chance, "effort": 0, "line": best, "by": ""})
    if found:
        connection.execute(sa.insert(values), list(found.values()))
