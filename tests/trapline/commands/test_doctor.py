"""The command that looks whether all is in order: good on what is whole, and each damage has its finding."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from db.library.open import open_library
from db.proof.prover import SEARCH_NODES, TrapProver
from tests.support.command_line import run_program
from tests.support.db_traps import elephant, legal
from tests.support.templates import copy_of

ROOT = Path(__file__).parents[3]


def _make(path: Path) -> None:
    prover = TrapProver(search_nodes=SEARCH_NODES)
    with open_library(path, create=True) as library:
        library.add_all([prover.prove(legal()), prover.prove(elephant())])


@pytest.fixture(autouse=True)
def _forget_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option --config sets a variable, which is put back after the test since the test had it set."""
    monkeypatch.setenv("TRAPLINE_CONFIG", "")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.sqlite"
    copy_of("doctor.sqlite", _make, path)
    return path


def examined(library: Path, **variables: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and outcome and message of each finding."""
    done = run_program(("doctor", "--db", str(library), "--json"), library.parent, variables)
    assert done.stderr == ""
    return done.returncode, {each["what"]: (each["outcome"], each["message"]) for each in json.loads(done.stdout)}


def test_a_whole_library_is_good_and_nothing_is_changed(library: Path) -> None:
    before = library.read_bytes()
    code, found = examined(library)
    bad = {what: message for what, (outcome, message) in found.items() if outcome == "bad"}
    assert set(bad) <= {"disk"}  # of the machine that the test runs on
    assert code == bool(bad)
    assert found["rows"] == ("good", "2 traps can be read")
    assert found["proofs"][0] == "good"
    assert found["writing"] == ("good", f"{library} can be written")
    assert found["bot"][0] == found["service"][0] == "unchecked"
    assert library.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE traps SET name = x'00' WHERE slug = 'legals-mate'", "rows"),
        ("UPDATE traps SET epd = 'nonsense' WHERE slug = 'legals-mate'", "rows"),
        ("UPDATE traps SET key = zeroblob(16) WHERE slug = 'legals-mate'", "keys"),
        ("INSERT INTO depths VALUES (99, 1, 1, 1)", "references"),
        ("UPDATE traps SET moves = '1. e4' WHERE slug = 'legals-mate'", "proofs"),
        ("CREATE TRIGGER t AFTER INSERT ON traps BEGIN DELETE FROM traps; END", "library"),
        ("CREATE TABLE other (x)", "library"),
    ],
)
def test_each_damage_is_found(library: Path, statement: str, what: str) -> None:
    with closing(sqlite3.connect(library)) as connection:
        connection.execute(statement)
        connection.commit()
    code, found = examined(library)
    assert code == 1
    assert found[what][0] == "bad", found


def test_a_damaged_file_a_missing_one_and_settings_that_are_none(library: Path, tmp_path: Path) -> None:
    content = bytearray(library.read_bytes())
    for start in range(8192 * 2, len(content), 8192):
        content[start : start + 100] = b"\xff" * 100
    library.write_bytes(content)
    code, found = examined(library)
    assert code == 1
    assert ("bad", True) in {(outcome, "damaged" in message) for outcome, message in found.values()}
    code, found = examined(tmp_path / "no.sqlite")
    assert (code, found["library"][0]) == (1, "bad")
    settings = tmp_path / "settings.toml"
    settings.write_text("nodess = 5\n", "utf-8")
    code, found = examined(library, TRAPLINE_CONFIG=str(settings))
    assert (code, found["settings"][0]) == (1, "bad")


# Everything is imported before the rights are given up.
EXAMINER = """
import os, sys
from trapline.doctor import examine
list(examine(sys.argv[1], proofs=0))
os.environ["HOME"] = os.path.dirname(sys.argv[1])
os.setuid(65534)
print({each.what: each.outcome for each in examine(sys.argv[1], proofs=0)})
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user, who may not write here")
def test_a_library_that_cannot_be_written_is_found(library: Path) -> None:
    # Pytest's folders are closed to others.
    with tempfile.TemporaryDirectory() as folder:
        moved = Path(folder) / "library.sqlite"
        shutil.copy(library, moved)
        moved.chmod(0o644)
        moved.parent.chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", EXAMINER, str(moved)], cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert "'library file': 'good', 'writing': 'bad'" in done.stdout, done


def test_what_the_bot_and_the_service_need_is_looked_at_by_their_own_checks(library: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[service]\nfolder = "{tmp_path}"\nusers = ["somebody"]\n', "utf-8")
    token = tmp_path / "token"
    token.write_text("lip_secret", "utf-8")
    token.chmod(0o644)
    _, found = examined(library, TRAPLINE_CONFIG=str(settings), TRAPLINE_SERVICE_TOKEN_FILE=str(token))
    assert found["service: token"][0] == "bad"
    assert "chmod 600" in found["service: token"][1]
