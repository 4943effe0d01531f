"""The index of games: sources, games, positions and where they occur, sightings, checkpoints.

Revision 0002, after 0001.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.UniqueConstraint("path", name="uq_sources_path"),
    )
    op.create_table(
        "games",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("digest", sa.LargeBinary(16), nullable=False),
        sa.Column("white", sa.Text(), nullable=False),
        sa.Column("black", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("date", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("round", sa.Text(), nullable=False),
        sa.Column("eco", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("start_fen", sa.Text(), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.Column("source_id", BIG_ID, nullable=False),
        sa.Column("game_number", sa.BigInteger(), nullable=False),
        sa.Column("byte_offset", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.UniqueConstraint("digest", name="uq_games_digest"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_games_source_id_sources"),
    )
    op.create_table(
        "positions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_positions"),
        sa.UniqueConstraint("key", name="uq_positions_key"),
    )
    op.create_table(
        "occurrences",
        sa.Column("position_id", BIG_ID, nullable=False),
        sa.Column("game_id", BIG_ID, nullable=False),
        sa.Column("ply", sa.SmallInteger(), nullable=False),
        sa.Column("move", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("position_id", "game_id", "ply", name="pk_occurrences"),
        sa.ForeignKeyConstraint(["position_id"], ["positions.id"], name="fk_occurrences_position_id_positions"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_occurrences_game_id_games"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sightings",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("trap_id", BIG_ID, nullable=False),
        sa.Column("game_id", BIG_ID, nullable=True),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("game_number", sa.BigInteger(), nullable=False),
        sa.Column("byte_offset", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(7), nullable=False),
        sa.Column("measure", sa.String(20), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("verdict", sa.String(9), nullable=False),
        sa.CheckConstraint("event IN ('set', 'fell', 'avoided', 'sprung', 'missed')", name=op.f("ck_sightings_event")),
        sa.CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name=op.f("ck_sightings_verdict")),
        sa.PrimaryKeyConstraint("id", name="pk_sightings"),
        sa.UniqueConstraint(
            "trap_id",
            "file",
            "game_number",
            "ply",
            "event",
            "measure",
            name="uq_sightings_trap_id_file_game_number_ply_event_measure",
        ),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_sightings_trap_id_traps", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_sightings_game_id_games"),
    )
    op.create_table(
        "checkpoints",
        sa.Column("source_id", BIG_ID, nullable=False, autoincrement=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(16), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source_id", name="pk_checkpoints"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_checkpoints_source_id_sources"),
    )


def downgrade() -> None:
    for table in ("checkpoints", "sightings", "occurrences", "positions", "games", "sources"):
        op.drop_table(table)
