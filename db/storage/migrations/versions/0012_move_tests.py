"""What the trap test says of moves of exercises.

Revision 0012, after 0011.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "move_tests",
        sa.Column("epd", sa.String(length=100), nullable=False),
        sa.Column("move", sa.String(length=5), nullable=False),
        sa.Column("by", sa.String(length=32), nullable=False),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        sa.Column("best", sa.String(length=5), nullable=True),
        sa.PrimaryKeyConstraint("epd", "move", name=op.f("pk_move_tests")),
    )


def downgrade() -> None:
    op.drop_table("move_tests")
