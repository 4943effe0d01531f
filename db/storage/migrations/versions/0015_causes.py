"""Of the losing moves of indexed games, why they lose: causes, mechanism and place.

Revision 0015, after 0014. Moves that are stored already have none of these until their games are looked through again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_COLUMNS = ("causes", "mechanism", "place")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("losing_moves", sa.Column(name, sa.Text(), nullable=True))


def downgrade() -> None:
    for name in reversed(_COLUMNS):
        op.drop_column("losing_moves", name)
