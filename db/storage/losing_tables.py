"""Tables of losing moves: those of indexed games, what they are compared by, and those that come with trapline."""

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, UniqueConstraint, true
from sqlalchemy.orm import Mapped, mapped_column

from db.storage.column_types import Base, Float, Id, String, Text, big


class LosingMoveRow(Base):
    """A move of an indexed game that was proved to lose; see `db.storage.losing_rows.LosingMove`."""

    __tablename__ = "losing_moves"
    __table_args__ = (
        CheckConstraint("kind IN ('mate', 'capture', 'check', 'quiet')", name="kind"),
        CheckConstraint("answer IN ('sprung', 'missed')", name="answer"),
    )

    game_id: Mapped[int] = mapped_column(big(), ForeignKey("games.id"), primary_key=True, autoincrement=False)
    ply: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(7))
    mate_in: Mapped[int | None]
    killer_line: Mapped[str] = mapped_column(Text)
    """UCI, with spaces between."""
    answer: Mapped[str | None] = mapped_column(String(6))
    clock: Mapped[int | None]
    settled: Mapped[bool] = mapped_column(server_default=true())
    probability: Mapped[float | None] = mapped_column(Float)
    causes: Mapped[str | None] = mapped_column(Text)
    """As ``leaves:c3,b1 line:d1``, the first cause first."""
    mechanism: Mapped[str | None] = mapped_column(Text, index=True)
    place: Mapped[str | None] = mapped_column(Text, index=True)


class MistakeRow(Base):
    """What a losing move is compared by, see `db.patterns.keys`: tokens of 32 bits each, ascending."""

    __tablename__ = "mistakes"
    __table_args__ = (
        UniqueConstraint("game_id", "ply"),
        ForeignKeyConstraint(["game_id", "ply"], ["losing_moves.game_id", "losing_moves.ply"], ondelete="CASCADE"),
    )
    id: Mapped[Id]
    game_id: Mapped[int] = mapped_column(big())
    ply: Mapped[int]
    tokens: Mapped[bytes]


class BundledPatternRow(Base):
    """A losing move that comes with trapline; see `db.storage.bundled_rows.BundledPattern`. No game has it."""

    __tablename__ = "bundled_patterns"
    __table_args__ = (UniqueConstraint("epd", "bait"),)

    id: Mapped[Id]
    epd: Mapped[str] = mapped_column(String(100))
    bait: Mapped[str] = mapped_column(String(5))
    killer_line: Mapped[str] = mapped_column(Text)
    """UCI, with spaces between."""
    mate_in: Mapped[int | None]
    before: Mapped[float] = mapped_column(Float)
    after: Mapped[float] = mapped_column(Float)
    settled: Mapped[bool]
    causes: Mapped[str] = mapped_column(Text)
    """As those of `LosingMoveRow`."""
    mechanism: Mapped[str] = mapped_column(Text, index=True)
    place: Mapped[str] = mapped_column(Text, index=True)
