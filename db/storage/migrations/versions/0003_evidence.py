"""What a verdict rests upon: the bait by depth, opinions side by side, and why a famous line is no trap.

Revision 0003, after 0002. The proofs that were there become opinions, of unknown date.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("traps", sa.Column("reason", sa.Text(), server_default="", nullable=False))
    op.create_table(
        "profiles",
        sa.Column("trap_id", BIG_ID, nullable=False, autoincrement=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("gain", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("trap_id", name="pk_profiles"),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_profiles_trap_id_traps", ondelete="CASCADE"),
    )
    op.create_table(
        "depths",
        sa.Column("trap_id", BIG_ID, nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("bait", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("trap_id", "depth", name="pk_depths"),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_depths_trap_id_traps", ondelete="CASCADE"),
    )
    opinions = op.create_table(
        "opinions",
        sa.Column("trap_id", BIG_ID, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("verdict", sa.String(9), nullable=False),
        sa.Column("gain", sa.Float(), nullable=True),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=True),
        sa.Column("date", sa.String(10), nullable=False),
        sa.CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name=op.f("ck_opinions_verdict")),
        sa.PrimaryKeyConstraint("trap_id", "by", name="pk_opinions"),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_opinions_trap_id_traps", ondelete="CASCADE"),
    )
    op.create_table(
        "verified",
        sa.Column("trap_id", BIG_ID, nullable=False, autoincrement=False),
        sa.Column("changed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("trap_id", name="pk_verified"),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_verified_trap_id_traps", ondelete="CASCADE"),
    )
    proofs = ("proof_by", "verdict", "gain", "proof_nodes", "proof_depth")
    traps = sa.table("traps", sa.column("id"), *map(sa.column, proofs))
    known = sa.select(traps.c.id, *(traps.c[name] for name in proofs), sa.literal("")).where(traps.c.proof_by != "")
    columns = ["trap_id", "by", "verdict", "gain", "nodes", "depth", "date"]
    op.execute(opinions.insert().from_select(columns, known))


def downgrade() -> None:
    for table in ("verified", "opinions", "depths", "profiles"):
        op.drop_table(table)
    op.drop_column("traps", "reason")
