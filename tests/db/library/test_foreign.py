"""Libraries from somebody else: another schema is refused, rows that cannot be are passed over and counted."""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from db.library.library import Library
from db.library.open import create_library, open_library
from db.storage.database import LONGEST_ROW
from tests.support.command_line import run_program
from tests.support.db_traps import elephant, fishing_pole, legal
from trapcore.errors import LibraryError

SCHEMA = [
    "CREATE TRIGGER emptied AFTER INSERT ON sightings BEGIN DELETE FROM traps; END",
    "CREATE VIEW seen AS SELECT * FROM traps",
    "CREATE VIRTUAL TABLE found USING fts5(a)",
    "CREATE TABLE more (a)",
    "CREATE INDEX slow ON traps (reason)",
    "DROP INDEX ix_traps_mirror_key",
    "ALTER TABLE traps ADD COLUMN more TEXT GENERATED ALWAYS AS (slug) VIRTUAL",
    "ALTER TABLE traps RENAME COLUMN moves TO movements",
    "DROP TABLE practice_reviews",
]

FIELDS: list[tuple[str, object]] = [
    ("mate_in", -5),
    ("mate_in", "many"),
    ("name", b"bytes"),
    ("name", "\x1b[31mred"),
    ("name", "two\nlines"),
    ("name", "x" * 10_000),
    ("family", ""),
    ("epd", "nonsense"),
    ("epd", "8/8/8/8/8/8/8/8 w - -"),
    ("epd", 5),
    ("killer_line", "e2e4 e7e5"),
    ("killer_line", ""),
    ("killer_line", "e2e4 " * 5000),
    ("bait", "zz"),
    ("gain", 99.0),
    ("gain", "much"),
    ("proof_nodes", -1),
    ("proof_depth", b""),
    ("source", "a\u202eb"),
    ("outcome", "material"),
    ("slug", "../../pwned"),
    ("slug", "a/b"),
    ("slug", "-oops"),
    ("slug", "CON\x00"),
]


def fill(made: Library) -> None:
    made.add_all([legal(), elephant(), fishing_pole()])


SAID = {
    "mate_in": "mate_in|mate in -5",
    "epd": "epd|position|fen",
    "killer_line": "killer|line|e2e4",
    "bait": "bait|zz",
    "proof_nodes": "0 nodes or more",
}
"""What a fault says of a field where it is not its name."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.sqlite"
    create_library(path, fill)
    return path


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement, values)
        connection.commit()


@pytest.mark.parametrize("statement", SCHEMA)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_library_with_another_schema_is_refused_and_left_as_it_is(
    library: Path, statement: str, read_only: bool
) -> None:
    change(library, statement)
    before = library.read_bytes()
    with pytest.raises(LibraryError, match=r"no trap library has|not those of schema"):
        open_library(library, read_only=read_only)
    assert library.read_bytes() == before


REORDERED = [
    ("victim IN ('white', 'black')", "'white' IN (victim, 'black')"),
    ("killer_line TEXT NOT NULL", "killer_line NOT TEXT NULL"),
    ("FOREIGN KEY(game_id) REFERENCES games (id)", "FOREIGN KEY(id) REFERENCES games (game_id)"),
    ("'white', 'black'", "'whi te', 'black'"),
    ("'white', 'black'", "'whiteblack'"),
]
"""What stands in the schema, and the same words in another order or with other spaces, which is another schema."""


@pytest.mark.parametrize(("stands", "instead"), REORDERED)
def test_a_schema_of_the_same_words_is_another(library: Path, stands: str, instead: str) -> None:
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        changed = connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE sql LIKE '%' || ? || '%'",
            (stands, instead, stands),
        )
        assert changed.rowcount > 0
        connection.commit()
    with pytest.raises(LibraryError, match=r"is damaged"):
        open_library(library)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"


@pytest.mark.parametrize("journal", [False, True])
def test_a_view_in_the_place_of_what_says_what_a_file_is_is_not_read(library: Path, journal: bool) -> None:
    change(library, "DROP TABLE meta")
    change(library, f"CREATE VIEW meta AS {ENDLESS} 'k' || x AS key, 'v' AS value FROM n")
    if journal:
        Path(f"{library}-journal").write_bytes(b"of a writer that was killed")
    code = "import sys; from db.library.open import open_library; open_library(sys.argv[1], read_only=True)"
    done = subprocess.run([sys.executable, "-c", code, library], capture_output=True, text=True, timeout=60)
    # What a journal holds of a foreign database is not taken back, so that it cannot even be read.
    says = "readonly database" if journal else "not a trap library"
    assert re.search(f"LibraryError: .* {says}", done.stderr), done.stderr


def test_a_column_that_is_computed_is_not_read_either(library: Path) -> None:
    change(library, "DROP TABLE meta")
    change(library, "CREATE TABLE meta (key TEXT, value TEXT AS (hex(zeroblob(400000000))) VIRTUAL)")
    change(library, "INSERT INTO meta (key) VALUES ('format')")
    with pytest.raises(LibraryError, match="not a trap library"):
        open_library(library, read_only=True)


@pytest.mark.parametrize(("field", "value"), FIELDS, ids=lambda value: repr(value)[:30])
def test_a_row_that_cannot_be_is_passed_over_and_named(library: Path, field: str, value: object) -> None:
    change(library, f"UPDATE traps SET {field} = ? WHERE slug = 'legals-mate'", value)
    with open_library(library, read_only=True) as opened:
        assert [trap.slug for trap in opened.traps()] == ["elephant-trap", "fishing-pole"]
        ((name, fault),) = opened.bad_rows.items()
        assert re.search(SAID.get(field, field), f"{name} {fault}"), fault
        assert opened.bad_rows.keys() == {f"trap {'legals-mate' if field != 'slug' else value}"}


@pytest.mark.parametrize("value", [b"bytes", "x" * 5000])
def test_the_very_trap_that_was_asked_for_is_an_error(library: Path, value: object) -> None:
    change(library, "UPDATE traps SET name = ? WHERE slug = 'legals-mate'", value)
    with open_library(library, read_only=True) as opened, pytest.raises(LibraryError, match=r"legals-mate .* name"):
        opened.trap("legals-mate")
    with open_library(library) as opened, pytest.raises(LibraryError, match=r"legals-mate .* name"):
        opened.add(legal(), replace=True)


@pytest.mark.parametrize("slug", ["../../pwned", "/etc/pwned", "..", "a/../../b", "pwned\n", "\x1b]0;pwned\x07"])
def test_no_slug_writes_outside_the_folder_and_no_message_obeys_it(library: Path, tmp_path: Path, slug: str) -> None:
    change(library, "UPDATE traps SET slug = ? WHERE slug = 'legals-mate'", slug)
    folder = tmp_path / "in" / "side"
    folder.mkdir(parents=True)
    before = {path for path in tmp_path.rglob("*") if folder not in path.parents}
    for arguments in (
        ("library", "export", "--study", str(folder)),
        ("library", "export", "-o", str(folder / "traps.pgn")),
        ("library", "list"),
    ):
        done = run_program((*arguments, "--db", str(library)), tmp_path, {})
        assert "Traceback" not in done.stderr
        assert "\x1b" not in done.stdout + done.stderr
    assert "left out" in done.stderr
    assert {path for path in tmp_path.rglob("*") if folder not in path.parents} == before
    assert not any("pwned" in path.name for path in folder.iterdir())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:  # pytest's folders are closed to others
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user, who may not write here")
def test_who_may_not_write_sees_what_another_account_writes(open_folder: Path) -> None:
    path = open_folder / "library.sqlite"
    create_library(path)
    path.chmod(0o644)
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdin is not None

        def count() -> str:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write("\n")
            reader.stdin.flush()
            return reader.stdout.readline().strip()

        assert count() == "0"
        with open_library(path) as library:
            library.add(legal())
            for companion in open_folder.iterdir():
                companion.chmod(0o644)
            assert count() == "1"
        assert count() == "1"
        with open_library(path) as library:
            library.add(elephant())
        assert count() == "2"
        reader.stdin.close()
    assert reader.returncode == 0


# Everything is imported before the rights are given up.
READER = """
import os, pathlib, sys
from db.library.library import Library
from db.library.open import open_library
path = pathlib.Path(sys.argv[1])
open_library(path, read_only=True).close()
os.setgid(65534), os.setuid(65534)
with open_library(path, read_only=True) as library:
    for line in sys.stdin:
        print(library.counts().traps, flush=True)
"""


def test_a_row_of_megabytes_is_not_read(library: Path) -> None:
    with closing(sqlite3.connect(library)) as connection, connection:
        connection.execute("UPDATE traps SET name = zeroblob(?)", [LONGEST_ROW + 1])
    with open_library(library, read_only=True) as opened, pytest.raises(LibraryError, match="too big"):
        opened.traps()
