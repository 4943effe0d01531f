"""Cells of a library that hold anything: every command ends in words, and none writes outside its folder.

A file of the corpus has what to change, as JSON: ``{"table": "traps", "column": "mate_in", "value": -5}``; bytes are
written ``{"bytes": "ff00"}``.
"""

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.fuzz.mutations import change_cell
from tests.faults.fuzz.running import corpus, tries
from tests.support.command_line import run_program
from tests.support.db_traps import LEGAL_FEN
from tests.support.practice_library import PLAYER, copy_practice_library

COMMANDS: list[tuple[str, ...]] = [
    ("library", "list"),
    ("library", "list", "--json"),
    ("library", "show", "legals-mate"),
    ("library", "show", "legals-mate", "--json"),
    ("library", "export"),
    ("library", "export", "--study", "study"),
    ("query", "--pgn"),
    ("query", "--fen", LEGAL_FEN, "--similar", "3", "--json"),
    ("query", "--name", "legal mate"),
    ("query", "--player", "Kiss", "--sort", "frequency"),
    ("explore", "--fen", LEGAL_FEN),
    ("report", PLAYER, "--json"),
    ("report", PLAYER, "-o", "report.html"),
    ("practise", "--player", PLAYER, "--progress"),
    ("practise", "--player", PLAYER, "--export", "exercises.pgn"),
    ("practise", "--player", PLAYER, "--count", "1"),
    ("jobs", "log"),
    ("propose", LEGAL_FEN),
]

ALLOWED = {0, 1, 2, 3, 5}


def try_commands(folder: Path, commands: list[tuple[str, ...]], said: str) -> None:
    outside = set(folder.parent.iterdir())
    for command in commands:
        done = run_program((*command, "--db", "library.sqlite"), folder, {})
        assert done.returncode in ALLOWED, (said, command, done.stderr)
        assert "\x1b" not in done.stdout + done.stderr, (said, command)
        assert set(folder.parent.iterdir()) == outside, (said, command)


@pytest.mark.parametrize("found", corpus("library"), ids=lambda path: path.stem)
def test_what_was_found_once(tmp_path: Path, found: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    library = copy_practice_library(folder / "library.sqlite")
    change = json.loads(found.read_text("utf-8"))
    value = change["value"]
    if isinstance(value, dict):
        value = bytes.fromhex(value["bytes"])
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        table = change["table"]
        keys = ", ".join(f'"{name}"' for _, name, *_, key in connection.execute(f"PRAGMA table_info({table})") if key)
        first = f"({keys}) = (SELECT {keys} FROM {table} ORDER BY {keys} LIMIT 1)"
        done = connection.execute(f'UPDATE {table} SET "{change["column"]}" = ? WHERE {first}', (value,))
        assert done.rowcount == 1
        connection.commit()
    try_commands(folder, COMMANDS, str(change))


def test_any_cell(tmp_path: Path) -> None:
    original = copy_practice_library(tmp_path / "original.sqlite").read_bytes()
    for number, chance in enumerate(tries()):
        folder = tmp_path / f"try-{number}" / "work"
        folder.mkdir(parents=True)
        (folder / "library.sqlite").write_bytes(original)
        said = "; ".join(change_cell(chance, folder / "library.sqlite") for _ in range(chance.randint(1, 3)))
        try_commands(folder, _some(chance), said)


def _some(chance: random.Random) -> list[tuple[str, ...]]:
    return chance.sample(COMMANDS, 4)
