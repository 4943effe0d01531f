"""Of the losing moves of indexed games, whether what they cost may be told, and how likely it is that they lose.

Revision 0013, after 0012. Of those that are stored already neither is known, and they are told as before until their
games are looked through again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("losing_moves", sa.Column("settled", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("losing_moves", sa.Column("probability", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("losing_moves", "probability")
    op.drop_column("losing_moves", "settled")
