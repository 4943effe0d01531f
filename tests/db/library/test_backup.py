"""Backups, restoring and tidying: whole copies or none, and nothing replaced that nobody said to replace."""

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.library.backup import back_up, restore
from db.library.open import create_library, open_library
from tests.support.command_line import CommandLine
from tests.support.db_traps import AVOIDED, FELL, OTHER, elephant, legal, write
from trapcore.errors import LibraryError, OutputError, UsageError
from trapline.commands.library import library as app

COMMANDS = CommandLine(app)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A library with two traps and two games."""
    made = tmp_path / "library.sqlite"
    with open_library(made, create=True) as library:
        library.add_all([legal(), elephant()])
        index_files(library, [write(tmp_path / "games.pgn", FELL, AVOIDED)])
    return made


def games(path: Path) -> int:
    with open_library(path, read_only=True) as library:
        library.check_file()
        return library.counts().games


def beside(path: Path) -> list[str]:
    return sorted(p.name for p in path.parent.iterdir())


def test_a_backup_is_the_library_at_one_moment(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    copy = folder / "copy.sqlite"
    with open_library(path) as writer, writer.database.write() as connection:
        # Somebody writes and has not finished: what he writes is not in the copy, and he is not disturbed.
        connection.exec_driver_sql("DELETE FROM sightings")
        with open_library(path, read_only=True) as library:
            size = back_up(library, copy)
    assert size == copy.stat().st_size
    assert beside(copy) == ["copy.sqlite"]
    with open_library(copy, read_only=True) as copied, open_library(path, read_only=True) as original:
        assert copied.digest() == original.digest()
        assert copied.sightings()
        assert not original.sightings()


def test_a_damaged_library_gives_no_backup_and_leaves_the_old_one(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    old = copy.read_bytes()
    data = bytearray(path.read_bytes())
    page = len(data) // 8192 // 2
    data[page * 8192 : (page + 3) * 8192] = b"\xff" * (3 * 8192)
    path.write_bytes(data)
    with open_library(path, read_only=True) as library, pytest.raises(LibraryError, match="is damaged"):
        back_up(library, copy)
    assert copy.read_bytes() == old
    assert not [name for name in beside(path) if name.endswith(".new")]


def test_what_is_restored_is_what_was_backed_up(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    assert COMMANDS.app is app
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    with open_library(path) as library:
        index_files(library, [write(tmp_path / "more.pgn", OTHER)])
    assert games(path) == 3
    with pytest.raises(UsageError, match=r"2 traps and 3 games, the backup has 2 and 2; say --replace"):
        restore(copy, path)
    assert games(path) == 3
    restore(copy, path, replace=True)
    assert games(path) == 2
    restore(copy, tmp_path / "new.sqlite")
    assert games(tmp_path / "new.sqlite") == 2


def test_a_log_that_was_left_behind_does_not_come_over_the_restored_library(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    code = (
        "import os, sys; from db.library.open import open_library; from db.games.index_games import index_files\n"
        f"library = open_library({str(path)!r}); index_files(library, [{str(write(tmp_path / 'm.pgn', OTHER))!r}])\n"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert Path(f"{path}-wal").exists(), "the killed program left its log"
    restore(copy, path, replace=True)
    assert games(path) == 2


def test_a_library_in_use_is_not_replaced(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path) as library:
        back_up(library, copy)
        with library.database.read() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM traps").scalar()
            with pytest.raises(LibraryError, match="is in use"):
                restore(copy, path, replace=True)
    assert games(path) == 2


def test_a_writer_that_comes_while_a_library_is_replaced_writes_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path) as library:
        back_up(library, copy)
    late = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    # It has the file open, and no lock as long as it has read nothing.
    tried: list[str] = []
    replaced = Path.replace

    def replacing(source: Path, target: Path) -> Path:
        if target == path:
            with pytest.raises(sqlite3.OperationalError, match="locked") as refused:
                late.execute("DELETE FROM traps")
            tried.append(str(refused.value))
        return replaced(source, target)

    monkeypatch.setattr(Path, "replace", replacing)
    restore(copy, path, replace=True)
    assert len(tried) == 1
    with closing(late), pytest.raises(sqlite3.OperationalError, match="readonly"):
        late.execute("DELETE FROM traps")
    assert beside(path) == ["copy.sqlite", "games.pgn", "library.sqlite"]
    with open_library(path) as library:
        library.check_file()
        assert library.counts().traps == 2


def _not_sqlite(path: Path) -> None:
    path.write_bytes(b"text" * 5000)


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20_000])


def _newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '9999' WHERE key = 'schema'")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("harm", "said"), [(_not_sqlite, "no SQLite file"), (_torn, "damaged"), (_newer, "schema 9999")]
)
def test_what_is_no_backup_is_not_restored(path: Path, tmp_path: Path, harm: Callable[[Path], None], said: str) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    harm(copy)
    with pytest.raises(LibraryError, match=said):
        restore(copy, path, replace=True)
    assert games(path) == 2


@pytest.mark.parametrize("harm", [_torn, _newer])
def test_a_library_that_cannot_be_opened_can_be_replaced(
    path: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    copy = tmp_path / "copy.sqlite"
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    harm(path)
    if harm is not _torn:
        with pytest.raises(UsageError, match="there is a file already"):
            restore(copy, path)
    restore(copy, path, replace=True)
    assert games(path) == 2


def test_a_disk_that_is_full(path: Path, tmp_path: Path) -> None:
    """The copy may grow to 20,000 bytes: as on a full disk, there is an error, and no half of a copy."""
    copy = tmp_path / "copy.sqlite"
    code = (
        "import resource; from pathlib import Path; from db.library.open import open_library; "
        "from db.library.backup import back_up\n"
        "from trapcore.errors import OutputError\n"
        f"library = open_library({str(path)!r}, read_only=True)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (20000, {resource.RLIM_INFINITY}))\n"
        f"try: back_up(library, Path({str(copy)!r}))\n"
        "except OutputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    assert not copy.exists()
    assert not [name for name in beside(path) if "copy" in name]
    with pytest.raises(OutputError, match="there is no directory"), open_library(path, read_only=True) as library:
        back_up(library, tmp_path / "nowhere" / "copy.sqlite")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_nobody_may_read_a_copy_who_may_not_read_the_library(path: Path, tmp_path: Path, mode: int) -> None:
    copy, link = tmp_path / "copy.sqlite", tmp_path / "link"
    link.symlink_to("copy.sqlite")
    path.chmod(mode)
    for name in (copy, link, copy):  # a new one, one through a link, and in the place of an older one
        with open_library(path, read_only=True) as library:
            back_up(library, name)
        assert copy.stat().st_mode & 0o777 == mode
        copy.chmod(mode | 0o044)
    assert link.is_symlink()
    copy.chmod(0o600)
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    assert copy.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_restored_library_keeps_mode_and_link(path: Path, tmp_path: Path, mode: int) -> None:
    copy, link = tmp_path / "copy.sqlite", tmp_path / "link"
    link.symlink_to("library.sqlite")
    path.chmod(mode)
    with open_library(path, read_only=True) as library:
        back_up(library, copy)
    copy.chmod(0o644)
    restore(copy, link, replace=True)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == mode
    open_library(link).close()
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == mode
    copy.chmod(mode)
    restore(copy, tmp_path / "new.sqlite")
    assert (tmp_path / "new.sqlite").stat().st_mode & 0o777 == mode


def test_only_a_copy_is_replaced_by_a_copy(path: Path, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.sqlite", tmp_path / "other.sqlite"
    with open_library(path, read_only=True) as library:
        for _ in range(2):
            back_up(library, copy)
        restore(copy, other)
        with pytest.raises(UsageError, match="no backup of one"):
            back_up(library, other)  # in use as a library
        sqlite3.connect(tmp_path / "places.db").execute("CREATE TABLE places (url TEXT)")
        with pytest.raises(UsageError, match="a database"):
            back_up(library, tmp_path / "places.db")
    assert games(other) == 2
    open_library(copy).close()  # and who opens a copy for writing uses it as a library
    with open_library(path, read_only=True) as library, pytest.raises(UsageError, match="no backup of one"):
        back_up(library, copy)


@pytest.mark.parametrize("content", [b"notes\n", b"\0" * 5000, b"%PDF-1.7", b"SQLite"])
def test_what_is_no_database_is_not_replaced(path: Path, tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "notes.txt"
    other.write_bytes(content)
    with pytest.raises(UsageError, match="no trap library"):
        restore(path, other, replace=True)
    with open_library(path, read_only=True) as library, pytest.raises(UsageError, match="no backup"):
        back_up(library, other)
    assert other.read_bytes() == content
    other.write_bytes(b"")
    restore(path, other, replace=True)
    assert games(other) == 2
    other.write_bytes(b"")
    with open_library(path, read_only=True) as library:
        back_up(library, other)
    assert games(other) == 2


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_file_is_no_library_and_no_backup(path: Path, tmp_path: Path, kind: str) -> None:
    odd = tmp_path / "odd"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    else:
        odd.symlink_to("odd")
    before = beside(path)
    for use in (lambda: open_library(odd), lambda: create_library(odd), lambda: restore(odd, path, replace=True)):
        with pytest.raises(LibraryError, match="odd"):
            use()
    with pytest.raises(OutputError), open_library(path, read_only=True) as library:
        back_up(library, odd)
    with pytest.raises(OutputError):
        restore(path, odd, replace=True)
    assert beside(path) == before


def test_a_database_of_another_program_is_not_replaced(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "places.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
    before = other.read_bytes()
    with pytest.raises(UsageError, match="no trap library"):
        restore(path, other, replace=True)
    assert other.read_bytes() == before
