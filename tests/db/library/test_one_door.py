"""A library in use is opened by SQLite and by nothing else: any other opening ends with the loss of all locks on it."""

import ast
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.library.open import create_library, is_foreign, open_library
from tests.support.db_traps import AVOIDED, FELL, elephant, fishing_pole, legal, write
from trapcore.errors import InputError, UsageError
from trapcore.io.output_check import check_outputs, is_database
from trapcore.io.streams import open_bytes

ROOT = Path(__file__).resolve().parents[3]

OTHER_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
print(*connection.execute("SELECT count(*) FROM traps").fetchone())
try:
    connection.execute("PRAGMA journal_mode = DELETE")
except sqlite3.OperationalError as error:
    print(error)
"""
"""Opens a library, and tries to remove its log, as SQLite does when it closes a file that nobody else has open."""


def reads_as_input(path: Path) -> None:
    with pytest.raises(InputError, match="is a database"):
        open_bytes(path)


def writes_as_output(path: Path) -> None:
    with pytest.raises(UsageError, match="is a database"):
        check_outputs([path])


def by_another_name(path: Path) -> None:
    linked = path.with_name("linked.sqlite")
    linked.symlink_to(path)
    open_library(linked, read_only=True).close()


LOOKS: dict[str, Callable[[Path], object]] = {
    "open": lambda path: open_library(path, read_only=True).close(),
    "open-to-write": lambda path: open_library(path).close(),
    "link": by_another_name,
    "is-database": is_database,
    "is-foreign": is_foreign,
    "input": reads_as_input,
    "output": writes_as_output,
}


@pytest.mark.parametrize("look", LOOKS)
def test_another_program_cannot_remove_the_log_of_a_library_in_use(tmp_path: Path, look: str) -> None:
    path = tmp_path / "library.sqlite"
    create_library(path)
    with open_library(path) as library:
        library.add(legal())
        LOOKS[look](path)
        done = subprocess.run([sys.executable, "-c", OTHER_PROGRAM, path], capture_output=True, text=True, check=True)
        assert done.stdout == "1\ndatabase is locked\n"
        library.add(elephant())
        assert Path(f"{path}-wal").exists()
    with open_library(path, read_only=True) as reader:
        assert reader.counts().traps == 2


def test_no_command_changes_the_journal_mode(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    create_library(path)
    for read_only in (True, False):
        with open_library(path, read_only=read_only) as library:
            library.counts()
        assert [each.name for each in tmp_path.iterdir()] == [path.name]
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


WATCHED = """
import os, sys
from db.library.open import open_library
from trapcore.errors import TraplineError
from trapline.program import app

path, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
os.chdir(folder)
found = []

def watch(event, arguments):
    if event not in ("open", "os.link", "os.rename", "os.remove", "os.truncate") or not arguments:
        return
    for name in arguments[:2]:
        real = os.path.realpath(os.fsdecode(name)) if isinstance(name, (str, bytes)) else None
        if real in (path, f"{path}-wal", f"{path}-shm"):
            found.append(event)

with open_library(path) as in_use:
    sys.addaudithook(watch)
    for command in sys.argv[3:]:
        before = len(found)
        try:
            app(command.split(), standalone_mode=False)
        except SystemExit:
            pass
        except TraplineError as error:
            print("error:", command, error)
        if len(found) > before:
            print("opened:", command, found[before:])
"""

COMMANDS = [
    "query --name legal",
    "library show legals-mate",
    "library export -o traps.pgn",
    "library import games.pgn",
    "library backup copy.sqlite",
    "library backup copy.sqlite",
    "index games.pgn",
    "explore --moves e4",
    "report White -o report.html",
    "practise --player White --export exercises.pgn",
    "annotate games.pgn -o annotated.pgn",
    "doctor",
]


def test_no_command_opens_a_library_but_through_sqlite(tmp_path: Path) -> None:
    path, folder = tmp_path / "library.sqlite", tmp_path / "work"
    folder.mkdir()
    create_library(path)
    with open_library(path) as library:
        library.add_all([legal(), elephant(), fishing_pole()])
    write(folder / "games.pgn", FELL + AVOIDED)
    commands = [f"{command} --db {path}" for command in COMMANDS]
    refused = [f"annotate {path} -o out.pgn", f"annotate games.pgn -o {path}", f"index {path} --db {path}"]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, path, folder, *commands, *refused], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "opened:" not in done.stdout
    with open_library(path, read_only=True) as library:
        assert library.counts().games == 2


DOORS = {"db/storage/database.py", "db/storage/companions.py", "db/library/backup.py", "trapcore/io/output_check.py"}
"""Modules that may open a library; each does so through SQLite, or opens a journal, which has no locks."""

OPENING = {"open", "read_bytes", "read_text", "write_bytes", "write_text", "shutil.copy", "copy2", "copyfile"}


def calls(path: Path) -> set[str]:
    """Names of the functions that a module calls, with the module of those of `sqlite3`, `os` and `shutil`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                found.add(node.func.id)
            elif isinstance(node.func, ast.Attribute):
                owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
                found |= {node.func.attr, f"{owner}.{node.func.attr}"}
    return found


def test_only_these_modules_open_libraries() -> None:
    folders = ("annotator", "bot", "coach", "db", "lichess", "trapcore", "trapline")
    modules = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    connecting = {str(path.relative_to(ROOT)) for path in modules if "sqlite3.connect" in path.read_text("utf-8")}
    in_memory = {"coach/practice/export.py"}
    assert connecting == DOORS - {"db/storage/companions.py"} | in_memory
    stores = [path for folder in ("db/library", "db/storage") for path in (ROOT / folder).glob("*.py")]
    opening = {str(path.relative_to(ROOT)) for path in stores if calls(path) & OPENING}
    assert opening == {"db/storage/companions.py"}
