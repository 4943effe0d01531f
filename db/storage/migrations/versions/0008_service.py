"""What the service has done, what it is doing, and how far its sources have been read.

Revision 0008, after 0007.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "job_runs",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("started", sa.String(length=20), nullable=False),
        sa.Column("ended", sa.String(length=20), nullable=True),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_runs")),
    )
    op.create_index(op.f("ix_job_runs_job_job_runs_started"), "job_runs", ["job", "started"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("holder", sa.String(length=200), nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.String(length=20), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "feeds",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_feeds")),
    )


def downgrade() -> None:
    op.drop_table("feeds")
    op.drop_table("leases")
    op.drop_index(op.f("ix_job_runs_job_job_runs_started"), table_name="job_runs")
    op.drop_table("job_runs")
