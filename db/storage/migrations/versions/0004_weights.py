"""What was learned from the traps: the weights by which killers are proposed.

Revision 0004, after 0003. One row, or none as long as nothing was learned.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "weights",
        sa.Column("vocabulary", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("traps", sa.Integer(), nullable=False),
        sa.Column("fitted", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("vocabulary", name="pk_weights"),
    )


def downgrade() -> None:
    op.drop_table("weights")
