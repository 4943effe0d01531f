"""Revisions of the schema: none depends on what the program does today, and what one computes is the same as then."""

import ast
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.games.losing_moves import lost_moves
from db.games.trap_occurrences import games_of
from db.library.open import create_library, open_library, upgrade_library
from db.library.schema import migrate, migrated_schema, newest_schema
from db.storage.database import make_file, sqlite_engine
from db.storage.schema_check import schema_differences
from db.traps.trap import make_trap
from tests.support.practice_library import BAIT_PLY, PLAYER, copy_practice_library

VERSIONS = sorted((Path(__file__).parents[3] / "db" / "storage" / "migrations" / "versions").glob("*.py"))
ODD = make_trap(
    name="Dvořák’s castling – naïve Ω",
    family="Straße",
    fen="4k2r/6pp/8/8/8/8/6PP/R3K2R w KQk - 0 1",
    bait="O-O-O",
    killer_line="O-O",
)
COMPUTED = (
    "SELECT id, bait_san, killer_san, length FROM traps ORDER BY id",
    "SELECT * FROM words ORDER BY id",
    "SELECT * FROM trap_words ORDER BY word_id, trap_id",
    "SELECT * FROM trigrams ORDER BY trigram, word_id",
)


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_a_revision_imports_nothing_of_the_program(path: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    standard = {"collections", "hashlib", "re", "secrets", "unicodedata"}
    assert imported <= standard | {"alembic", "sqlalchemy", "chess"}


def test_a_new_library_is_byte_for_byte_what_the_revisions_make(tmp_path: Path) -> None:
    path, migrated = tmp_path / "library.sqlite", tmp_path / "migrated.sqlite"
    create_library(path)
    make_file(migrated)
    engine = sqlite_engine(migrated, read_only=False)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        migrate(connection)
        assert schema_differences(connection) == []
    engine.dispose()
    assert newest_schema() == migrated_schema(), "python -m db.library.schema writes newest.sql anew"
    with closing(sqlite3.connect(path)) as made, closing(sqlite3.connect(migrated)) as wanted:
        for query in (
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid",
            "SELECT version_num FROM alembic_version",
            "PRAGMA page_size",
        ):
            assert made.execute(query).fetchall() == wanted.execute(query).fetchall()
        facts = "SELECT key, length(value) FROM meta WHERE key IN ('cursor_secret', 'traps_state') ORDER BY key"
        assert (
            made.execute(facts).fetchall()
            == wanted.execute("SELECT key, length(value) FROM meta ORDER BY key").fetchall()
        )


def test_only_what_has_to_be_migrated_loads_alembic(tmp_path: Path) -> None:
    """A program of its own: this one has loaded it."""
    program = (
        "import sys; from pathlib import Path; from db.formats.bundled import make_bundled;"
        "make_bundled(Path(sys.argv[1]), lambda _: None); print('alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "library.sqlite"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_what_traps_are_found_by_is_computed_for_old_libraries_as_for_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with open_library(path, create=True) as opened:
        opened.add_all([*bundled_traps(), *bundled_non_traps(), ODD])
    new = computed(path)
    assert all(new)
    downgrade(path, "0005")
    upgrade_library(path)
    assert computed(path) == new


def test_what_losing_moves_cost_becomes_values_of_their_positions(tmp_path: Path) -> None:
    path = copy_practice_library(tmp_path / "library.sqlite")
    downgrade(path, "0013")
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE losing_moves SET before = 0.25, after = -0.75, best = 'd6e5' WHERE ply = ?", [BAIT_PLY])
    upgrade_library(path)
    with open_library(path) as library:
        moves, _ = lost_moves(library, games_of(library, [PLAYER]))
    bait = next(each for each in moves if each.move.ply == BAIT_PLY)
    assert (bait.move.before, bait.move.after, bait.best_san) == (0.25, -0.75, "dxe5")


def test_losing_moves_of_an_old_library_have_no_causes(tmp_path: Path) -> None:
    path = copy_practice_library(tmp_path / "library.sqlite")
    downgrade(path, "0014")
    upgrade_library(path)
    with open_library(path) as library:
        moves, _ = lost_moves(library, games_of(library, [PLAYER]))
    assert moves
    assert {(each.move.causes, each.move.cause, each.move.mechanism, each.move.place) for each in moves} == {
        ((), "", None, None)
    }


def downgrade(path: Path, revision: str) -> None:
    """Takes a library back to an older schema."""
    engine = sqlite_engine(path, read_only=False)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        config = Config()
        config.set_main_option("script_location", "db.storage:migrations")
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
    engine.dispose()


def computed(path: Path) -> list[list[tuple[object, ...]]]:
    """What revision 0006 computes, as it is stored."""
    with closing(sqlite3.connect(path)) as raw:
        return [raw.execute(wanted).fetchall() for wanted in COMPUTED]
