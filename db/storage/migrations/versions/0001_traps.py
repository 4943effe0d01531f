"""The library itself: its facts and its traps.

Revision 0001, the first.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    op.create_table(
        "traps",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("family", sa.String(80), nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("mirror_key", sa.LargeBinary(16), nullable=False),
        sa.Column("epd", sa.String(100), nullable=False),
        sa.Column("victim", sa.String(5), nullable=False),
        sa.Column("bait", sa.String(5), nullable=False),
        sa.Column("killer_line", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(8), nullable=False),
        sa.Column("verdict", sa.String(9), nullable=False),
        sa.Column("mate_in", sa.SmallInteger(), nullable=True),
        sa.Column("gain", sa.Float(), nullable=True),
        sa.Column("proof_by", sa.Text(), nullable=False),
        sa.Column("proof_nodes", sa.BigInteger(), nullable=False),
        sa.Column("proof_depth", sa.SmallInteger(), nullable=True),
        sa.Column("eco", sa.String(8), nullable=False),
        sa.Column("opening", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created", sa.String(20), nullable=False),
        sa.CheckConstraint("victim IN ('white', 'black')", name=op.f("ck_traps_victim")),
        sa.CheckConstraint("outcome IN ('mate', 'material')", name=op.f("ck_traps_outcome")),
        sa.CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name=op.f("ck_traps_verdict")),
        sa.PrimaryKeyConstraint("id", name="pk_traps"),
        sa.UniqueConstraint("key", "bait", name="uq_traps_key_bait"),
        sa.UniqueConstraint("slug", name="uq_traps_slug"),
    )
    op.create_index("ix_traps_mirror_key", "traps", ["mirror_key"])


def downgrade() -> None:
    op.drop_table("traps")
    op.drop_table("meta")
