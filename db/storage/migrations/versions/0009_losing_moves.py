"""Moves of the indexed games that were proved to lose, and by which analysis a game was looked through for them.

Revision 0009, after 0008.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("games", sa.Column("judged_by", sa.String(length=32), nullable=True))
    op.create_table(
        "losing_moves",
        sa.Column("game_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=7), nullable=False),
        sa.Column("before", sa.Float(), nullable=True),
        sa.Column("after", sa.Float(), nullable=True),
        sa.Column("mate_in", sa.Integer(), nullable=True),
        sa.Column("killer_line", sa.Text(), nullable=False),
        sa.Column("best", sa.String(length=5), nullable=True),
        sa.Column("answer", sa.String(length=6), nullable=True),
        sa.Column("clock", sa.Integer(), nullable=True),
        sa.CheckConstraint("answer IN ('sprung', 'missed')", name=op.f("ck_losing_moves_answer")),
        sa.CheckConstraint("kind IN ('mate', 'capture', 'check', 'quiet')", name=op.f("ck_losing_moves_kind")),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_losing_moves_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", "ply", name=op.f("pk_losing_moves")),
    )


def downgrade() -> None:
    op.drop_table("losing_moves")
    op.drop_column("games", "judged_by")
