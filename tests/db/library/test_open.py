"""Opening and making libraries: everything that can be wrong is one sentence, and nothing foreign is touched."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from db.library.library import Library
from db.library.open import create_library, open_library
from tests.support.db_traps import legal
from trapcore import _native
from trapcore.errors import LibraryError


def refused(path: Path | str, *, read_only: bool = True, busy_seconds: float = 0.1) -> str:
    with pytest.raises(LibraryError) as caught:
        open_library(path, read_only=read_only, busy_seconds=busy_seconds).close()
    message = str(caught.value)
    assert "\n" not in message
    assert "Error" not in message
    return message


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_library_is_one_file_and_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    with open_library(path, create=True) as opened:
        assert opened.traps() == []
        facts = opened.facts()
    assert facts["format"] == "trapline-library"
    assert facts["position_key_version"] == str(_native.POSITION_KEY_VERSION)
    assert facts["fingerprint_version"] == str(_native.FINGERPRINT_VERSION)
    assert facts["made_by"].startswith("trapline ")
    assert names(tmp_path) == {"new.sqlite"}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.mkdir(), "is a directory"),
        (lambda path: path.touch(), "is an empty file"),
        (lambda path: path.write_text("1. e4 e5 *\n" * 100), "no SQLite file"),
        (lambda path: change(path, "CREATE TABLE traps (id INTEGER)"), "not a trap library"),
        (lambda path: change(path, "CREATE TABLE meta (key TEXT, value TEXT, more TEXT)"), "not a trap library"),
    ],
    ids=["directory", "empty", "text", "foreign", "foreign-meta"],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_what_is_no_library_is_left_alone(
    tmp_path: Path, make: Callable[[Path], object], says: str, read_only: bool
) -> None:
    path = tmp_path / "other"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert says in refused(path, read_only=read_only)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert names(tmp_path) == {"other"}


def test_a_damaged_library_is_said_to_be(library: Path) -> None:
    content = bytearray(library.read_bytes())
    content[100:4000] = b"\xff" * 3900  # the schema itself
    library.write_bytes(content)
    assert "is damaged" in refused(library)


def test_a_whole_library_passes_its_check_and_a_damaged_index_does_not(library: Path) -> None:
    with open_library(library, read_only=True) as opened:
        opened.check_file()
    with closing(sqlite3.connect(library)) as connection:
        # Two indexes, each with the rows of the other: every page is well formed, and yet they disagree.
        connection.execute("PRAGMA writable_schema = ON")
        names = ["ix_traps_eco_traps_slug", "ix_traps_mirror_key"]
        pages = [
            connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
            for name in names
        ]
        for name, page in zip(names, reversed(pages), strict=True):
            connection.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (page, name))
        connection.commit()
    with open_library(library, read_only=True) as opened, pytest.raises(LibraryError, match="is damaged"):
        opened.check_file()


@pytest.mark.parametrize("key", ["schema", "position_key_version", "fingerprint_version"])
def test_a_library_of_another_version_says_what_to_do(library: Path, key: str) -> None:
    change(library, f"UPDATE meta SET value = '99', key = '{key}' WHERE key = '{key}'")
    before = library.read_bytes()
    for read_only in (True, False):
        said = refused(library, read_only=read_only)
        assert f"{key.replace('_', ' ')} 99" in said
        assert "use the trapline that made it" in said
    assert library.read_bytes() == before


def test_a_locked_library_is_said_to_be(library: Path) -> None:
    with closing(sqlite3.connect(library, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another program" in refused(library)
        assert "is locked by another program" in refused(library, read_only=False)


def test_readers_go_on_while_somebody_writes(library: Path) -> None:
    with open_library(library) as writer, writer.database.write() as connection:
        connection.execute(text("UPDATE traps SET name = 'changed'"))
        with open_library(library, read_only=True, busy_seconds=0.1) as reader:
            assert reader.traps() == [legal()]
        with open_library(library, busy_seconds=0.1) as second, pytest.raises(LibraryError, match="is locked"):
            second.add(legal(name="changed too"), replace=True)


def test_a_library_for_reading_cannot_be_written(library: Path) -> None:
    with open_library(library, read_only=True) as opened, pytest.raises(LibraryError, match="for reading only"):
        opened.add(legal())


def test_reading_leaves_nothing_beside_the_file(library: Path) -> None:
    before = library.read_bytes()
    with open_library(library, read_only=True) as opened:
        assert opened.traps() == [legal()]
    assert names(library.parent) == {"library.sqlite"}
    assert library.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_what_a_killed_writer_left_half_done_is_taken_back(library: Path, tmp_path: Path, read_only: bool) -> None:
    killed = tmp_path / "killed" / "library.sqlite"
    killed.parent.mkdir()
    with closing(sqlite3.connect(library, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")  # so that the log is written before the end
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO meta (key, value) VALUES ('half', hex(zeroblob(1000000)))")
        for name in ("library.sqlite", "library.sqlite-wal"):
            shutil.copy(library.parent / name, killed.parent / name)
    with open_library(killed, read_only=read_only) as opened:
        assert opened.traps() == [legal()]
    assert names(killed.parent) == {"library.sqlite"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user, who may not write here")
def test_a_folder_that_is_read_only_can_be_read(library: Path) -> None:
    # Pytest's folders are closed to others.
    with tempfile.TemporaryDirectory() as folder:
        moved = Path(folder) / "library.sqlite"
        shutil.move(library, moved)
        moved.chmod(0o644)
        moved.parent.chmod(0o755)
        _read_as_nobody(moved)


def _read_as_nobody(library: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(library)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, out
    assert out.splitlines()[0] == "1"
    assert "read-only" in out.splitlines()[1]
    assert names(library.parent) == {"library.sqlite"}


# Everything is imported before the rights are given up.
READER = """
import os, pathlib, sys
from db.library.open import open_library
from trapcore.errors import LibraryError
path = pathlib.Path(sys.argv[1])
open_library(path, read_only=True).close()
os.setgid(65534), os.setuid(65534)
with open_library(path, read_only=True) as library:
    print(library.counts().traps)
try:
    open_library(path)
except LibraryError as error:
    print(error)
"""


def test_a_library_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "half.sqlite"

    def fill(made: Library) -> None:
        made.add(legal())
        assert not path.exists()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_library(path, fill)
    assert names(tmp_path) == set()


def test_of_two_that_make_the_same_library_the_first_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "both.sqlite"
    ready = threading.Barrier(2, timeout=30)

    def make(trap_name: str) -> None:
        def fill(made: Library) -> None:
            made.add(legal(name=trap_name))
            ready.wait()

        create_library(path, fill)

    # In one process both would build under the same hidden name.
    other = tmp_path / "other.py"
    other.write_text(MAKER)
    process = subprocess.Popen([sys.executable, str(other), str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "built\n"
    threading.Timer(0, ready.wait).start()
    make("here")
    process.communicate(timeout=60)
    assert process.returncode == 0
    with open_library(path, read_only=True) as opened:
        assert [trap.name for trap in opened.traps()] == ["here"]
    assert names(tmp_path) == {"both.sqlite", "other.py"}


MAKER = f"""
import sys, time, pathlib
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from db.library.open import create_library
from tests.support.db_traps import legal
path = pathlib.Path(sys.argv[1])
def fill(made):
    made.add(legal(name="there"))
    print("built", flush=True)
    while not path.exists():
        time.sleep(0.01)
create_library(path, fill)
"""


def test_any_number_of_threads_may_use_a_library(tmp_path: Path) -> None:
    """Each thread has a connection of its own while it reads or writes, and nobody closes it under its hands."""
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        together = threading.Barrier(12)
        nine = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 9) SELECT x FROM n"

        def read(number: int) -> int:
            with library.database.read() as connection:
                rows = connection.exec_driver_sql(nine)
                first = rows.fetchone()
                together.wait(20)
                assert first is not None
                return int(first[0]) + sum(int(row[0]) for row in rows)

        with ThreadPoolExecutor(12) as pool:
            assert list(pool.map(read, range(12))) == [45] * 12


def test_whoever_closes_last_leaves_the_file_alone(library: Path) -> None:
    before = names(library.parent)
    reader = open_library(library, read_only=True)
    writer = open_library(library)
    with writer.database.write() as connection:
        connection.exec_driver_sql("UPDATE meta SET value = value")
    reader.traps()
    writer.close()
    assert f"{library.name}-wal" in names(library.parent), "the reader still has it open"
    reader.close()
    assert names(library.parent) == before
