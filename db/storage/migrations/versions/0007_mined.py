"""Which moves of the indexed games have been put to the trap test.

Revision 0007, after 0006.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "mined",
        sa.Column("position_id", BIG_ID, nullable=False),
        sa.Column("move", sa.Integer(), nullable=False),
        sa.Column("finding", sa.String(length=9), nullable=False),
        sa.ForeignKeyConstraint(
            ["position_id"], ["positions.id"], name=op.f("fk_mined_position_id_positions"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("position_id", "move", name=op.f("pk_mined")),
        sa.CheckConstraint("finding IN ('harmless', 'refuted', 'undecided', 'proved')", name=op.f("ck_mined_finding")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("mined")
