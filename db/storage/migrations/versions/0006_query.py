"""What traps are found by: bait and killer in SAN, the length of the line, the words of names, indexes.

Revision 0006, after 0005. All of it is computed from the traps that are there. Beside it, in ``meta``: what seals the
cursors of pages, and what changes whenever a trap does.

How words, trigrams and SAN are computed is written here as it was when the revision was made: what the program does
today may differ, and later revisions start from what this one leaves.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence

import chess
import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

INDEXED = ("family", "eco", "opening", "source", "bait_san", "killer_san", "name", "length", "gain")
FACTS = ("cursor_secret", "traps_state")
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("traps", sa.Column("bait_san", sa.String(8), server_default="", nullable=False))
    op.add_column("traps", sa.Column("killer_san", sa.String(8), server_default="", nullable=False))
    op.add_column("traps", sa.Column("length", sa.Integer(), server_default="0", nullable=False))
    _fill(op.get_bind())
    for column in INDEXED:
        op.create_index(f"ix_traps_{column}_traps_slug", "traps", [column, "slug"])
    _make_words()
    meta = sa.table("meta", sa.column("key"), sa.column("value"))
    for key in FACTS:
        op.execute(meta.insert().values(key=key, value=secrets.token_hex(16)))


def downgrade() -> None:
    meta = sa.table("meta", sa.column("key"), sa.column("value"))
    op.execute(meta.delete().where(meta.c.key.in_(FACTS)))
    for table in ("trigrams", "trap_words", "words"):
        op.drop_table(table)
    for column in INDEXED:
        op.drop_index(f"ix_traps_{column}_traps_slug", "traps")
    for column in ("length", "killer_san", "bait_san"):
        op.drop_column("traps", column)


def _fill(connection: sa.Connection) -> None:
    names = ("id", "epd", "bait", "killer_line", "bait_san", "killer_san", "length")
    traps = sa.table("traps", *map(sa.column, names))
    wanted = sa.select(traps.c.id, traps.c.epd, traps.c.bait, traps.c.killer_line)
    last = None
    while True:
        part = wanted.order_by(traps.c.id).limit(10_000)
        rows = connection.execute(part if last is None else part.where(traps.c.id > last)).all()
        if not rows:
            return
        values = []
        for number, epd, bait, line in rows:
            killers = line.split()
            bait_san, killer_san = _first_sans(epd, bait, killers[0])
            length = (len(killers) + 1) // 2
            values.append({"number": number, "bait_san": bait_san, "killer_san": killer_san, "length": length})
        changed: dict[str, sa.BindParameter[str | int]] = {name: sa.bindparam(name) for name in names[4:]}
        connection.execute(sa.update(traps).where(traps.c.id == sa.bindparam("number")).values(changed), values)
        last = rows[-1][0]


def _make_words() -> None:
    op.create_table(
        "words",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("word", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_words"),
        sa.UniqueConstraint("word", name="uq_words_word"),
    )
    op.create_table(
        "trap_words",
        sa.Column("word_id", BIG_ID, nullable=False),
        sa.Column("trap_id", BIG_ID, nullable=False),
        sa.PrimaryKeyConstraint("word_id", "trap_id", name="pk_trap_words"),
        sa.ForeignKeyConstraint(["word_id"], ["words.id"], name="fk_trap_words_word_id_words"),
        sa.ForeignKeyConstraint(["trap_id"], ["traps.id"], name="fk_trap_words_trap_id_traps", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "trigrams",
        sa.Column("trigram", sa.String(3), nullable=False),
        sa.Column("word_id", BIG_ID, nullable=False),
        sa.PrimaryKeyConstraint("trigram", "word_id", name="pk_trigrams"),
        sa.ForeignKeyConstraint(["word_id"], ["words.id"], name="fk_trigrams_word_id_words"),
        sqlite_with_rowid=False,
    )
    connection = op.get_bind()
    traps = sa.table("traps", *map(sa.column, ("id", "name", "family", "slug")))
    rows = connection.execute(sa.select(traps.c.id, traps.c.name, traps.c.family, traps.c.slug)).all()
    for start in range(0, len(rows), 10_000):
        _index_names(connection, rows[start : start + 10_000])


WORDS = sa.table("words", sa.column("id"), sa.column("word"))
TRAP_WORDS = sa.table("trap_words", sa.column("word_id"), sa.column("trap_id"))
TRIGRAMS = sa.table("trigrams", sa.column("trigram"), sa.column("word_id"))


def _index_names(connection: sa.Connection, traps: Iterable[Sequence[int | str]]) -> None:
    """Make traps to be found: number, name, family and slug of each."""
    by_trap = {number: sorted({word for text in texts for word in _words(str(text))}) for number, *texts in traps}
    numbers = _numbers(connection, {word for words in by_trap.values() for word in words})
    pairs = sorted((numbers[word], trap) for trap, words in by_trap.items() for word in words)
    _insert(connection, TRAP_WORDS, pairs)


def _numbers(connection: sa.Connection, words: set[str]) -> dict[str, int]:
    """The number of each word, which is stored if it is new."""
    stored: dict[str, int] = {}
    ordered = sorted(words)
    for start in range(0, len(ordered), 500):
        some = WORDS.c.word.in_(ordered[start : start + 500])
        stored |= dict(connection.execute(sa.select(WORDS.c.word, WORDS.c.id).where(some)).all())
    new = sorted(words - stored.keys())
    first = (connection.scalar(sa.select(sa.func.max(WORDS.c.id))) or 0) + 1
    fresh = list(enumerate(new, start=first))
    _insert(connection, WORDS, fresh)
    _insert(connection, TRIGRAMS, sorted((group, number) for number, word in fresh for group in _trigrams(word)))
    return stored | {word: number for number, word in fresh}


def _insert(connection: sa.Connection, table: sa.TableClause, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        names = [column.name for column in table.columns]
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])


def _words(text: str) -> list[str]:
    """The words of a text in their order: without accents, capitals and apostrophes."""
    return re.findall(r"[^\W_]+", re.sub(r"['’`]", "", _plain(text)))


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _trigrams(word: str) -> list[str]:
    marked = f"^{word}$"
    return sorted({marked[at : at + 3] for at in range(len(marked) - 2)})


def _first_sans(epd: str, bait: str, killer: str) -> tuple[str, str]:
    """Bait and killer (UCI) of a position in SAN, without the signs for check and mate."""
    board = chess.Board(epd, chess960=True)
    board.castling_rights = board.clean_castling_rights()
    board.chess960 = board.has_chess960_castling_rights()
    played = board.parse_uci(bait)
    bait_san = board.san(played)
    board.push(played)
    return bait_san.rstrip("+#!?"), board.san(board.parse_uci(killer)).rstrip("+#!?")
