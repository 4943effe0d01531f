"""Token sets of the losing moves of indexed games, by which they are compared, and indexes of their patterns.

Revision 0016, after 0015. Moves that are stored already have none until their games are looked through again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "mistakes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("game_id", BIG_ID, nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id", "ply"],
            ["losing_moves.game_id", "losing_moves.ply"],
            name=op.f("fk_mistakes_game_id_ply_losing_moves"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mistakes")),
        sa.UniqueConstraint("game_id", "ply", name=op.f("uq_mistakes_game_id_ply")),
    )
    for name in ("mechanism", "place"):
        op.create_index(op.f(f"ix_losing_moves_{name}"), "losing_moves", [name])


def downgrade() -> None:
    for name in ("place", "mechanism"):
        op.drop_index(op.f(f"ix_losing_moves_{name}"), "losing_moves")
    op.drop_table("mistakes")
