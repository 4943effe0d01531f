"""When games began, by the clock.

Revision 0011, after 0010.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("games", sa.Column("utc_time", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("games", "utc_time")
