"""Outputs: whatever a run reads or writes, and every database, survives being named as one, by any name."""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from coach.group.group import create_group
from db.library.open import open_library
from tests.support.db_traps import FELL, elephant, legal
from trapcore.errors import OutputError, TraplineError, UsageError
from trapline.program import app

Names = Callable[[Path, Path], str]

COMMANDS: dict[str, Callable[[Path, str], Sequence[str]]] = {
    "annotate --output": lambda at, out: ["annotate", str(at / "in.pgn"), "-o", out],
    "annotate --report": lambda at, out: ["annotate", str(at / "in.pgn"), "-o", str(at / "new"), "--report", out],
    "mine --output": lambda at, out: ["mine", str(at / "in.pgn"), "-o", out],
    "report --output": lambda at, out: ["report", "A", "-o", out],
    "group report --output": lambda at, out: ["group", "report", "Pupils", "-o", out],
    "repertoire build --output": lambda at, out: ["repertoire", "build", "--color", "white", "-o", out],
    "repertoire check --output": lambda at, out: [
        *("repertoire", "check", str(at / "in.pgn"), "--player", "A", "-o", out)
    ],
    "repertoire export --output": lambda at, out: ["repertoire", "export", str(at / "in.pgn"), "-o", out],
    "repertoire from-games --output": lambda at, out: ["repertoire", "from-games", "--player", "A", "-o", out],
    "prepare --output": lambda at, out: ["prepare", "--against", "A", "-o", out],
    "library export --output": lambda at, out: ["library", "export", "-o", out],
    "library backup FILE": lambda at, out: ["library", "backup", out],
    "research paper --report": lambda at, out: ["research", "paper", "table-1", "--report", out],
    "research network --output": lambda at, out: [
        *("research", "network", str(at / "in.pgn"), "--engine", "true", "-o", out),
    ],
    "research coverage --labels": lambda at, out: [
        *("research", "coverage", str(at / "in.pgn"), "--out", str(at), "--engine", "true", "--labels", out)
    ],
    "research games --answers": lambda at, out: [
        *("research", "games", str(at / "in.pgn"), "--puzzles", str(at / "in.pgn"), "--engine", "true"),
        *("--answers", out),
    ],
}
"""Commands that write a file which is named to them, with the option that names it."""

FOLDERS = {
    "mine --study",
    "library export --study",
    "research paper --output",
    "research puzzles --output",
    "research games --output",
    "research coverage --out",
    "research practice --out",
    "research themes --out",
    "research causes --out",
    "research patterns --out",
    "practise --export",
}
"""Options that name a folder: what is written there has names of its own."""

WITHOUT_LIBRARY = {name for name in COMMANDS if name.startswith("research")} | {"repertoire export --output"}
WITHOUT_INPUT = {
    "report --output",
    "group report --output",
    "repertoire build --output",
    "repertoire from-games --output",
    "prepare --output",
    "library export --output",
    "library backup FILE",
    "research paper --report",
}

VICTIMS = {
    "input": "in.pgn",
    "library": "library.sqlite",
    "its log": "library.sqlite-wal",
    "its index": "library.sqlite.bags/state/index",
    "settings": "trapline.toml",
    "another library": "other.sqlite",
    "another database": "places.db",
    "the journal of another database": "places.db-journal",
}
NAMES: dict[str, Names] = {
    "plain": lambda at, victim: str(victim),
    "roundabout": lambda at, victim: f"{at}/sub/../{victim.relative_to(at)}",
    "symbolic": lambda at, victim: str(_linked(at / "link", victim, os.symlink)),
    "hard": lambda at, victim: str(_linked(at / "link", victim, os.link)),
}


def _linked(link: Path, victim: Path, make: Callable[[Path, Path], None]) -> Path:
    make(victim, link)
    return link


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "library.sqlite"
    with open_library(path, create=True) as library:
        library.add_all([legal(), elephant()])
        create_group(library, "Pupils")
    return path


@pytest.fixture
def at(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that a run may read and write."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "in.pgn").write_text(FELL)
    for name in ("library.sqlite", "other.sqlite"):
        (tmp_path / name).write_bytes(template.read_bytes())
    with closing(sqlite3.connect(tmp_path / "places.db")) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
    (tmp_path / "places.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(500))
    (tmp_path / "library.sqlite-wal").write_bytes(b"")
    (tmp_path / "library.sqlite.bags" / "state").mkdir(parents=True)
    (tmp_path / "library.sqlite.bags" / "state" / "index").write_bytes(b"an index")
    (tmp_path / "trapline.toml").write_text(f'db = "{tmp_path / "library.sqlite"}"\ntell = "similar"\n')
    monkeypatch.setenv("TRAPLINE_CONFIG", str(tmp_path / "trapline.toml"))
    return tmp_path


def content(at: Path) -> dict[str, bytes | str]:
    """What is in the files, without the log that holds nothing: SQLite removes it with the last connection."""
    found: dict[str, bytes | str] = {
        str(path.relative_to(at)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(at.rglob("*"))
        if path.is_symlink() or path.is_file()
    }
    return {name: data for name, data in found.items() if (name, data) != ("library.sqlite-wal", b"")}


def refused(arguments: Sequence[str]) -> TraplineError:
    with pytest.raises(TraplineError) as caught:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return caught.value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_use_and_no_database_is_overwritten(command: str, victim: str, name: str, at: Path) -> None:
    if (victim == "input" and command in WITHOUT_INPUT) or (
        victim in ("its index", "its log") and command in WITHOUT_LIBRARY - {"research games --answers"}
    ):
        # It is no file of such a run, and a user may replace a file of his own.
        return
    out = NAMES[name](at, at / VICTIMS[victim])
    if victim == "its index" and name == "hard":
        return  # the folder is protected, and a file with another name elsewhere is not in it
    before = content(at)
    error = refused(COMMANDS[command](at, out))
    assert isinstance(error, UsageError), error
    assert "\n" not in str(error)
    assert content(at) == before


def options() -> set[str]:
    """Every option and argument that names something to write, of all commands."""
    found = set()

    def walk(command: Any, before: str) -> None:
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                walk(command.get_command(None, name), f"{before} {name}".strip())
            return
        for parameter in command.params:
            told = getattr(parameter, "help", None) or ""
            if parameter.metavar in PATHS and any(word in told for word in WRITES):
                long = [option for option in parameter.opts if option.startswith("--")]
                found.add(f"{before} {long[0] if long else parameter.metavar}")

    walk(typer.main.get_command(app), "")
    return found


PATHS = ("FILE|FOLDER", "FILE", "FOLDER", "OUT", "FILE.jsonl", "FILE.md", "PATH")
WRITES = (
    "utput",
    "rite",
    "ritten",
    "new ones added",
    "others added",
    "added if not",
    "The copy",
    "The page",
    "The weights",
)


def test_every_output_is_among_them() -> None:
    others = {"repertoire build --output"}  # its kind of file has a suffix
    assert options() | others == {*COMMANDS, *FOLDERS}


def test_two_outputs_of_a_run_are_two_files(at: Path) -> None:
    for report in ("new", "sub/../new"):
        arguments = ["annotate", str(at / "in.pgn"), "-o", str(at / "new"), "--report", str(at / report)]
        assert "written twice" in str(refused(arguments))
    (at / "one").write_text("of mine")
    os.link(at / "one", at / "two")
    assert "written twice" in str(
        refused(["annotate", str(at / "in.pgn"), "-o", str(at / "one"), "--report", str(at / "two")])
    )
    assert (at / "one").read_text() == "of mine"


def _loop(path: Path) -> Path:
    path.symlink_to(path.name)
    return path


UNWRITABLE: dict[str, Callable[[Path], Path]] = {
    "a link to itself": lambda at: _loop(at / "loop"),
    "a folder": lambda at: at / "sub",
    "a name that is too long": lambda at: at / ("x" * 256),
    "a name in a file": lambda at: at / "in.pgn" / "x",
    "no folder": lambda at: at / "no" / "x",
}


@pytest.mark.parametrize("what", UNWRITABLE)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_written_is_one_sentence_and_leaves_nothing(command: str, what: str, at: Path) -> None:
    if (command, what) == ("annotate --output", "a folder"):
        return  # each input gets a file there
    before = content(at)
    error = refused(COMMANDS[command](at, str(UNWRITABLE[what](at))))
    assert isinstance(error, OutputError), error
    assert "\n" not in str(error)
    assert {name: data for name, data in content(at).items() if name != "loop"} == before


@pytest.mark.parametrize("length", [250, 254, 255])
@pytest.mark.parametrize("command", ["annotate --output", "annotate --report", "library export --output"])
def test_names_may_be_as_long_as_the_file_system_lets_them(command: str, length: int, at: Path) -> None:
    out = at / f"{'x' * (length - 4)}.pgn"
    done = CliRunner().invoke(app, [*COMMANDS[command](at, str(out))], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert out.is_file()
    assert not list(at.glob(".trapline-*"))
