"""Players who practise, when each exercise comes again, and every answer.

Revision 0010, after 0009.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "player_profiles",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player_profiles")),
        sa.UniqueConstraint("name", name=op.f("uq_player_profiles_name")),
    )
    op.create_table(
        "practice_cards",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("profile_id", BIG_ID, nullable=False),
        sa.Column("epd", sa.String(length=100), nullable=False),
        sa.Column("task", sa.String(length=6), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("stability", sa.Float(), nullable=True),
        sa.Column("difficulty", sa.Float(), nullable=True),
        sa.Column("due", sa.String(length=20), nullable=False),
        sa.Column("last_review", sa.String(length=20), nullable=False),
        sa.CheckConstraint("task IN ('killer', 'safe')", name=op.f("ck_practice_cards_task")),
        sa.ForeignKeyConstraint(
            ["profile_id"], ["player_profiles.id"], name=op.f("fk_practice_cards_profile_id_player_profiles")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice_cards")),
        sa.UniqueConstraint("profile_id", "epd", "task", name=op.f("uq_practice_cards_profile_id_epd_task")),
    )
    op.create_table(
        "practice_reviews",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("card_id", BIG_ID, nullable=False),
        sa.Column("at", sa.String(length=20), nullable=False),
        sa.Column("answer", sa.String(length=5), nullable=False),
        sa.Column("is_right", sa.Boolean(), nullable=False),
        sa.Column("hints", sa.SmallInteger(), nullable=False),
        sa.Column("rating", sa.SmallInteger(), nullable=True),
        sa.Column("line", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["card_id"], ["practice_cards.id"], name=op.f("fk_practice_reviews_card_id_practice_cards")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice_reviews")),
    )
    op.create_index(op.f("ix_practice_reviews_card_id"), "practice_reviews", ["card_id"])


def downgrade() -> None:
    op.drop_table("practice_reviews")
    op.drop_table("practice_cards")
    op.drop_table("player_profiles")
