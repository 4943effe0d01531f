"""Tables of a trap library. Every statement on them is portable SQL; only the space saving is SQLite's."""

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.storage import column_types
from db.storage.column_types import Base as Base
from db.storage.column_types import Float, Id, Key, SmallInteger, String, Text, big, ordered
from db.storage.group_tables import GroupExerciseRow as GroupExerciseRow
from db.storage.group_tables import GroupMemberRow as GroupMemberRow
from db.storage.group_tables import GroupRow as GroupRow
from db.storage.losing_tables import BundledPatternRow as BundledPatternRow
from db.storage.losing_tables import LosingMoveRow as LosingMoveRow
from db.storage.losing_tables import MistakeRow as MistakeRow


class MetaRow(Base):
    """A fact about the library itself: its format, the versions of its keys, who made it."""

    __tablename__ = "meta"

    key: Mapped[str] = mapped_column(ordered(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class TrapRow(Base):
    """A trap; the fields are those of `db.traps.trap.Trap`."""

    __tablename__ = "traps"
    __table_args__ = (
        UniqueConstraint("key", "bait"),
        UniqueConstraint("slug"),
        Index(None, "mirror_key"),
        Index(None, "bait"),
        # Each by slug within, so that a page of the traps that have one value needs no sorting.
        *(Index(None, column, "slug") for column in ("family", "eco", "opening", "source", "bait_san", "killer_san")),
        *(Index(None, column, "slug") for column in ("name", "length", "gain")),
        CheckConstraint("victim IN ('white', 'black')", name="victim"),
        CheckConstraint("outcome IN ('mate', 'material')", name="outcome"),
        CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name="verdict"),
    )

    id: Mapped[Id]
    slug: Mapped[str] = mapped_column(ordered(80))
    name: Mapped[str] = mapped_column(Text)
    family: Mapped[str] = mapped_column(String(80))
    key: Mapped[Key]
    """Of the position before the bait."""
    mirror_key: Mapped[Key]
    """Of the same position with colours exchanged, so that a game's key finds the trap of either colour."""
    epd: Mapped[str] = mapped_column(String(100))
    victim: Mapped[str] = mapped_column(String(5))
    bait: Mapped[str] = mapped_column(String(5))
    killer_line: Mapped[str] = mapped_column(Text)
    """Moves in UCI with a space between."""
    bait_san: Mapped[str] = mapped_column(String(8), server_default="")
    """Without the signs for check and mate, as `killer_san`, to be found by."""
    killer_san: Mapped[str] = mapped_column(String(8), server_default="")
    length: Mapped[int] = mapped_column(server_default="0")
    """Attacker's moves in the killer line."""
    themes: Mapped[str] = mapped_column(Text, server_default="")
    """What the killer line does, see `db.wording.patterns.theme_keys`."""
    outcome: Mapped[str] = mapped_column(String(8))
    verdict: Mapped[str] = mapped_column(String(9))
    mate_in: Mapped[int | None] = mapped_column(SmallInteger)
    gain: Mapped[float | None] = mapped_column(Float)
    proof_by: Mapped[str] = mapped_column(Text)
    proof_nodes: Mapped[int] = mapped_column(column_types.BigInteger)
    proof_depth: Mapped[int | None] = mapped_column(SmallInteger)
    eco: Mapped[str] = mapped_column(String(8))
    opening: Mapped[str] = mapped_column(Text)
    moves: Mapped[str | None] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text, server_default="")
    """Why it is no trap, for famous lines that are none; else empty."""
    created: Mapped[str] = mapped_column(String(20))
    """UTC, ISO 8601 to the second; text, because SQLite has no time zones."""


class ProfileRow(Base):
    """How a bait looks to a shallow search; the fields are those of `db.traps.temptation.Profile`."""

    __tablename__ = "profiles"

    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"), primary_key=True)
    rank: Mapped[int]
    gain: Mapped[int]


class DepthRow(Base):
    """Bait and best other move at one depth, in centipawns for the victim; see `trapcore.proof.verdict.DepthValue`."""

    __tablename__ = "depths"

    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"), primary_key=True)
    depth: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    bait: Mapped[int]
    best: Mapped[int]


class OpinionRow(Base):
    """What one prover, search or engine says of a trap; the fields are those of `db.traps.opinion.Opinion`."""

    __tablename__ = "opinions"
    __table_args__ = (CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name="verdict"),)

    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"), primary_key=True)
    by: Mapped[str] = mapped_column(ordered(200), primary_key=True)
    verdict: Mapped[str] = mapped_column(String(9))
    gain: Mapped[float | None] = mapped_column(Float)
    nodes: Mapped[int] = mapped_column(column_types.BigInteger)
    depth: Mapped[int | None] = mapped_column(SmallInteger)
    date: Mapped[str] = mapped_column(String(10))


class VerifiedRow(Base):
    """A trap that an unfinished `trapline library verify` has done; empty while there is none."""

    __tablename__ = "verified"

    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"), primary_key=True)
    changed: Mapped[bool]
    """Whether its verdict, distance or line became another."""


class WordRow(Base):
    """A word of names, families and slugs, see `db.storage.name_index`."""

    __tablename__ = "words"
    __table_args__ = (UniqueConstraint("word"),)

    id: Mapped[Id]
    word: Mapped[str] = mapped_column(Text)


class TrapWordRow(Base):
    """That a trap has a word. Without a row number of its own: the primary key is the row."""

    __tablename__ = "trap_words"
    __table_args__ = ({"sqlite_with_rowid": False},)

    word_id: Mapped[int] = mapped_column(big(), ForeignKey("words.id"), primary_key=True)
    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"), primary_key=True)


class TrigramRow(Base):
    """That a word has these three letters, or its first or last two with a mark for its end."""

    __tablename__ = "trigrams"
    __table_args__ = ({"sqlite_with_rowid": False},)

    trigram: Mapped[str] = mapped_column(String(3), primary_key=True)
    word_id: Mapped[int] = mapped_column(big(), ForeignKey("words.id"), primary_key=True)


class SourceRow(Base):
    """A file that games were read from."""

    __tablename__ = "sources"
    __table_args__ = (UniqueConstraint("path"),)

    id: Mapped[Id]
    path: Mapped[str] = mapped_column(ordered())
    """Absolute, or ``stdin``."""


class GameRow(Base):
    """A game; the tags are those of its first occurrence."""

    __tablename__ = "games"
    __table_args__ = (UniqueConstraint("digest"),)

    id: Mapped[Id]
    digest: Mapped[Key]
    """Of start position, moves, players, date and round: the same game has it in any file."""
    white: Mapped[str] = mapped_column(Text)
    black: Mapped[str] = mapped_column(Text)
    result: Mapped[str] = mapped_column(Text)
    date: Mapped[str] = mapped_column(Text)
    event: Mapped[str] = mapped_column(Text)
    site: Mapped[str] = mapped_column(Text)
    utc_time: Mapped[str] = mapped_column(Text, server_default="")
    """When it began, ``18:05:00`` in UTC; empty if the game does not say."""
    round: Mapped[str] = mapped_column(Text)
    eco: Mapped[str] = mapped_column(Text)
    variant: Mapped[str] = mapped_column(Text)
    white_elo: Mapped[int | None]
    """1..`db.traps.terms.HIGHEST_RATING`; None if the game does not say it in figures."""
    black_elo: Mapped[int | None]
    start_fen: Mapped[str | None] = mapped_column(Text)
    """None for the usual start."""
    plies: Mapped[int]
    moves: Mapped[bytes]
    """Two bytes a ply, see `trapcore._native.GameRecord`."""
    clocks: Mapped[bytes | None]
    """Two bytes each: the increment, then what was left after each ply, see `db.games.clocks`. None if unknown."""
    source_id: Mapped[int] = mapped_column(big(), ForeignKey("sources.id"))
    game_number: Mapped[int] = mapped_column(column_types.BigInteger)
    """From 1 within the source."""
    byte_offset: Mapped[int] = mapped_column(column_types.BigInteger)
    """Within the decompressed source."""
    judged_by: Mapped[str | None] = mapped_column(String(32))
    """Digest of the analysis that has searched it for losing moves; None if none has."""


class PositionRow(Base):
    """A position that occurred in a game.

    The table keeps its row number, and other tables use that instead of the key: four bytes instead of sixteen, and new
    positions are appended, so that the pages stay full. Only the index on the key is written all over.
    """

    __tablename__ = "positions"
    __table_args__ = (UniqueConstraint("key"),)

    id: Mapped[Id]
    key: Mapped[Key]
    fingerprint: Mapped[bytes]
    """See `trapcore._native.fingerprint`."""


class OccurrenceRow(Base):
    """A position in a game. Without a row number of its own: the primary key is the row."""

    __tablename__ = "occurrences"
    __table_args__ = ({"sqlite_with_rowid": False},)

    position_id: Mapped[int] = mapped_column(big(), ForeignKey("positions.id"), primary_key=True)
    game_id: Mapped[int] = mapped_column(big(), ForeignKey("games.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    """Moves made before the position: 0 at the start."""
    move: Mapped[int | None]
    """Played in it, coded as in `GameRow.moves`; None at the end of the game."""


class MinedRow(Base):
    """A move of the indexed games that `db.mining.mine` has put to the test."""

    __tablename__ = "mined"
    __table_args__ = (
        CheckConstraint("finding IN ('harmless', 'refuted', 'undecided', 'proved')", name="finding"),
        {"sqlite_with_rowid": False},
    )

    position_id: Mapped[int] = mapped_column(big(), ForeignKey("positions.id", ondelete="CASCADE"), primary_key=True)
    move: Mapped[int] = mapped_column(primary_key=True)
    """Coded as in `GameRow.moves`."""
    finding: Mapped[str] = mapped_column(String(9))
    """``harmless`` after a shallow search, else the verdict of the trap test."""


class SightingRow(Base):
    """A trap, or a position like it, in a game; the fields are those of `db.storage.sighting_rows.Sighting`."""

    __tablename__ = "sightings"
    __table_args__ = (
        UniqueConstraint("trap_id", "file", "game_number", "ply", "event", "measure"),
        Index("ix_sightings_trap_id_id", "trap_id", "id"),
        Index(None, "game_id"),
        CheckConstraint("event IN ('set', 'fell', 'avoided', 'sprung', 'missed')", name="event"),
        CheckConstraint("verdict IN ('proved', 'refuted', 'undecided')", name="verdict"),
    )

    id: Mapped[Id]
    trap_id: Mapped[int] = mapped_column(big(), ForeignKey("traps.id", ondelete="CASCADE"))
    game_id: Mapped[int | None] = mapped_column(big(), ForeignKey("games.id"))
    file: Mapped[str] = mapped_column(ordered())
    game_number: Mapped[int] = mapped_column(column_types.BigInteger)
    byte_offset: Mapped[int] = mapped_column(column_types.BigInteger)
    ply: Mapped[int]
    event: Mapped[str] = mapped_column(String(7))
    measure: Mapped[str] = mapped_column(String(20))
    score: Mapped[float] = mapped_column(Float)
    verdict: Mapped[str] = mapped_column(String(9))


class PositionValueRow(Base):
    """The deepest value of a position; see `db.traps.position_value.PositionValue`."""

    __tablename__ = "position_values"
    __table_args__ = ({"sqlite_with_rowid": False},)

    key: Mapped[Key] = mapped_column(primary_key=True)
    chance: Mapped[float] = mapped_column(Float)
    effort: Mapped[int] = mapped_column(column_types.BigInteger)
    line: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)


class CheckpointRow(Base):
    """How far a source has been read; written in one transaction with what was read."""

    __tablename__ = "checkpoints"

    source_id: Mapped[int] = mapped_column(big(), ForeignKey("sources.id"), primary_key=True)
    size: Mapped[int] = mapped_column(column_types.BigInteger)
    """Of the file on disk, in bytes."""
    digest: Mapped[Key]
    """BLAKE2b-128 of the decompressed bytes before the offset: another file of that name and size has another."""
    offset: Mapped[int] = mapped_column(column_types.BigInteger)
    """Decompressed bytes that are done."""
    games: Mapped[int] = mapped_column(column_types.BigInteger)
    """Games that are done, the skipped ones included."""


class WeightsRow(Base):
    """What `trapline library train` learned from the traps; one row, or none as long as nothing was learned."""

    __tablename__ = "weights"

    vocabulary: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Version of the tokens that have the weights."""
    data: Mapped[bytes]
    """As `trapcore.ranking.weights.Weights.to_bytes` writes them."""
    traps: Mapped[int]
    """Learned from so many traps."""
    fitted: Mapped[str] = mapped_column(String(20))
    """UTC, ISO 8601 to the second."""


class JobRunRow(Base):
    """One run of a job of the service, see `trapline.service.state.job_log`. Times are UTC, ISO 8601 to the second."""

    __tablename__ = "job_runs"
    __table_args__ = (Index(None, "job", "started"),)

    id: Mapped[Id]
    job: Mapped[str] = mapped_column(String(40))
    started: Mapped[str] = mapped_column(String(20))
    ended: Mapped[str | None] = mapped_column(String(20))
    """None while it runs, and of a run that was killed."""
    counts: Mapped[str] = mapped_column(Text)
    """A JSON object: what was done, in figures, and a list of problems."""
    error: Mapped[str | None] = mapped_column(Text)
    """Why it did not come to its end."""


class LeaseRow(Base):
    """Something that one process at a time may do, while it does it; see `trapline.service.state.locks`."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    holder: Mapped[str] = mapped_column(String(200))
    """Host, process and a number drawn for each taking."""
    beat: Mapped[int] = mapped_column(column_types.BigInteger)
    """Grows while the holder lives."""
    since: Mapped[str] = mapped_column(String(20))
    """UTC, ISO 8601 to the second; for people only."""


class FeedRow(Base):
    """How far something that games come from has been read, see `trapline.service.state.source_state`."""

    __tablename__ = "feeds"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    """``user thibault``, ``study abcdefgh``, ``file /path``, …"""
    state: Mapped[str] = mapped_column(Text)
    """A JSON object."""


class PlayerProfileRow(Base):
    """A player who practises; what belongs to him alone has its number."""

    __tablename__ = "player_profiles"

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(Text, unique=True)
    """As in the games; empty for somebody who practises without games."""


class PracticeCardRow(Base):
    """When a card comes again; see `db.storage.practice_rows.Card`. Times are UTC, ISO 8601 to the second."""

    __tablename__ = "practice_cards"
    __table_args__ = (
        UniqueConstraint("profile_id", "epd", "task"),
        CheckConstraint("task IN ('killer', 'safe', 'line')", name="task"),
    )

    id: Mapped[Id]
    profile_id: Mapped[int] = mapped_column(big(), ForeignKey("player_profiles.id"))
    epd: Mapped[str] = mapped_column(String(100))
    task: Mapped[str] = mapped_column(String(6))
    state: Mapped[int] = mapped_column(SmallInteger)
    step: Mapped[int | None]
    stability: Mapped[float | None] = mapped_column(Float)
    difficulty: Mapped[float | None] = mapped_column(Float)
    due: Mapped[str] = mapped_column(String(20))
    last_review: Mapped[str] = mapped_column(String(20))


class PracticeReviewRow(Base):
    """An answer to an exercise; see `db.storage.practice_rows.Review`."""

    __tablename__ = "practice_reviews"

    id: Mapped[Id]
    card_id: Mapped[int] = mapped_column(big(), ForeignKey("practice_cards.id"), index=True)
    at: Mapped[str] = mapped_column(String(20))
    answer: Mapped[str] = mapped_column(String(5))
    is_right: Mapped[bool]
    hints: Mapped[int] = mapped_column(SmallInteger)
    rating: Mapped[int | None] = mapped_column(SmallInteger)
    line: Mapped[str] = mapped_column(Text)


class RepertoireRow(Base):
    """The repertoire of a player; see `db.storage.practice_rows.Repertoire`."""

    __tablename__ = "repertoires"

    profile_id: Mapped[int] = mapped_column(
        big(), ForeignKey("player_profiles.id"), primary_key=True, autoincrement=False
    )
    pgn: Mapped[str] = mapped_column(Text)
    colour: Mapped[str] = mapped_column(String(5))
    source: Mapped[str] = mapped_column(Text)
    at: Mapped[str] = mapped_column(String(20))


class MoveTestRow(Base):
    """What the trap test says of a move that an exercise is about; see `db.storage.practice_rows.MoveTest`."""

    __tablename__ = "move_tests"

    epd: Mapped[str] = mapped_column(String(100), primary_key=True)
    move: Mapped[str] = mapped_column(String(5), primary_key=True)
    by: Mapped[str] = mapped_column(String(32))
    """Digest of the test: what another one said counts no more."""
    is_confirmed: Mapped[bool]
    best: Mapped[str | None] = mapped_column(String(5))


column_types.name_fields(Base.metadata, looked_at_elsewhere=("traps", "profiles", "depths", "opinions"))
