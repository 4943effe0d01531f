"""The players' ratings beside each game; sightings by trap and by game; on a server, text in the order of code points.

Revision 0005, after 0004. Games that are there have none until they are read again; so that they are, no file counts as
done any more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


# By the language of a server's database a hyphen would count for nothing; SQLite knows code points only.
ORDERED = (
    ("meta", "key", "varchar(64)"),
    ("traps", "slug", "varchar(80)"),
    ("opinions", "by", "varchar(200)"),
    ("sources", "path", "text"),
    ("sightings", "file", "text"),
)


def _collate(collation: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, column, kind in ORDERED:
            op.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" TYPE {kind} COLLATE "{collation}"')


def upgrade() -> None:
    op.add_column("games", sa.Column("white_elo", sa.Integer(), nullable=True))
    op.add_column("games", sa.Column("black_elo", sa.Integer(), nullable=True))
    op.execute(sa.table("checkpoints").delete())
    op.create_index("ix_sightings_trap_id_id", "sightings", ["trap_id", "id"])
    op.create_index("ix_sightings_game_id", "sightings", ["game_id"])
    _collate("C")


def downgrade() -> None:
    _collate("default")
    op.drop_index("ix_sightings_game_id", "sightings")
    op.drop_index("ix_sightings_trap_id_id", "sightings")
    op.drop_column("games", "black_elo")
    op.drop_column("games", "white_elo")
