"""Tables of a coach's groups: who is in them, and the exercises that are assigned. Times are UTC, ISO 8601 to the
second.
"""

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.storage.column_types import Base, Float, Id, SmallInteger, String, Text, big, ordered


class GroupRow(Base):
    """A group of players; see `coach.group.group.Group`."""

    __tablename__ = "player_groups"
    __table_args__ = (UniqueConstraint("slug"),)

    id: Mapped[Id]
    slug: Mapped[str] = mapped_column(ordered(80))
    name: Mapped[str] = mapped_column(String(80))
    coach: Mapped[str] = mapped_column(ordered())
    """Address of the account that made it on a public server; empty for a group made on the library's machine."""
    token: Mapped[str] = mapped_column(String(40))
    """Secret of the link by which pupils join."""
    created: Mapped[str] = mapped_column(String(20))
    assigned: Mapped[str | None] = mapped_column(String(20))
    """When its exercises were assigned; None if none are."""
    about: Mapped[str] = mapped_column(Text, server_default="")
    """Key of the pattern that was assigned; empty for the pupils' own mistakes of any kind."""


class GroupMemberRow(Base):
    """That a player is or was in a group."""

    __tablename__ = "group_members"

    group_id: Mapped[int] = mapped_column(big(), ForeignKey("player_groups.id", ondelete="CASCADE"), primary_key=True)
    player: Mapped[str] = mapped_column(ordered(), primary_key=True)
    """As `PlayerProfileRow.name` has him: a name as in the games, or the address of an account."""
    name: Mapped[str] = mapped_column(Text)
    """What he is called."""
    since: Mapped[str] = mapped_column(String(20))
    left: Mapped[str | None] = mapped_column(String(20))
    """When he left or was removed; None while he is in it."""


class GroupExerciseRow(Base):
    """An exercise that is assigned to a group, with all that is needed to ask it: the game that it is from may be
    another pupil's, and is not kept. The fields are those of `coach.practice.exercise.Exercise`.
    """

    __tablename__ = "group_exercises"
    __table_args__ = (
        UniqueConstraint("group_id", "epd", "task"),
        CheckConstraint("task IN ('killer', 'safe')", name="task"),
        CheckConstraint("origin IN ('group', 'pattern', 'decoy')", name="origin"),
    )

    group_id: Mapped[int] = mapped_column(big(), ForeignKey("player_groups.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    """From 1, in the order in which they come."""
    epd: Mapped[str] = mapped_column(String(100))
    task: Mapped[str] = mapped_column(String(6))
    origin: Mapped[str] = mapped_column(String(7))
    line: Mapped[str] = mapped_column(Text)
    """UCI, with spaces between."""
    mate_in: Mapped[int | None] = mapped_column(SmallInteger)
    cost: Mapped[float] = mapped_column(Float)
    themes: Mapped[str] = mapped_column(Text)
    """With spaces between."""
    patterns: Mapped[str] = mapped_column(Text)
    """Likewise."""
    opening: Mapped[str] = mapped_column(Text)
    number: Mapped[int | None]
    played_before: Mapped[str] = mapped_column(String(5))
    before: Mapped[str] = mapped_column(String(100))
    best: Mapped[str] = mapped_column(String(5))
