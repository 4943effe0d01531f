"""What every command has: short help, flags without a type, names of near commands, completion in three shells."""

import gzip
import os
import pty
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from db.formats.bundled import bundled_traps
from db.library.open import create_library, open_library
from tests.support.command_line import run_program
from tests.support.practice_library import copy_practice_library
from tests.support.trap_games import FELL, QUIET, game
from trapline.program import COMMANDS


@pytest.mark.parametrize("arguments", [("-h",), ("library", "list", "-h")])
def test_short_help_has_no_type_beside_a_flag(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run_program(arguments, tmp_path, {})
    assert (done.returncode, done.stderr) == (0, "")
    assert "--help" in done.stdout
    assert "<bool>" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "near"),
    [(("anotate", "x.pgn"), "annotate"), (("library", "lst"), "list")],
)
def test_a_misspelt_command_gets_a_suggestion(arguments: tuple[str, ...], near: str, tmp_path: Path) -> None:
    done = run_program(arguments, tmp_path, {})
    assert done.returncode == 2
    assert f"did you mean '{near}'" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "variables",
    [
        {"_TRAPLINE_COMPLETE": "complete_bash", "COMP_WORDS": "trapline ann", "COMP_CWORD": "1"},
        {"_TRAPLINE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "trapline ann"},
        {
            "_TRAPLINE_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_ARGS": "trapline ann",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
    ],
    ids=lambda variables: variables["_TRAPLINE_COMPLETE"],
)
def test_commands_are_completed(variables: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trapline"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])} | variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "annotate" in done.stdout
    assert not [name for name in COMMANDS if name != "annotate" and name in done.stdout.split()]


@pytest.mark.parametrize("name", ["GAMES.PGN", "games.pgn.gz"])
def test_a_file_in_place_of_a_command_is_annotated(name: str, tmp_path: Path) -> None:
    create_library(tmp_path / "library.sqlite")
    text = game(QUIET)
    data = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
    (tmp_path / name).write_bytes(data)
    (tmp_path / "more.pgn").write_text(game(FELL), "utf-8")
    options = ("--tell", "known", "--db", "library.sqlite", "--quiet")
    done = run_program((name, "more.pgn", "-o", "out.pgn", *options), tmp_path, {})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out.pgn").read_text("utf-8") == text + game(FELL)


def test_a_missing_file_and_a_folder_are_no_commands(tmp_path: Path) -> None:
    (tmp_path / "practice").mkdir()
    create_library(tmp_path / "library.sqlite")
    missing = run_program(("games.pgn", "--db", "library.sqlite"), tmp_path, {})
    assert (missing.returncode, "games.pgn: there is no such file" in missing.stderr) == (3, True)
    folder = run_program(("practice",), tmp_path, {})
    assert (folder.returncode, "did you mean 'practise'" in " ".join(folder.stderr.split())) == (2, True)


def test_a_command_is_stronger_than_a_file_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "query").write_text(game(QUIET), "utf-8")
    create_library(tmp_path / "library.sqlite")
    done = run_program(("query", "--db", "library.sqlite"), tmp_path, {})
    assert "there are no such traps" in done.stderr


def test_the_settings_file_is_named_before_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_CONFIG", "")  # so that what the option sets is taken back
    create_library(tmp_path / "other.sqlite")
    (tmp_path / "mine.toml").write_text('db = "other.sqlite"\n', "utf-8")
    done = run_program(("--config", "mine.toml", "library", "list"), tmp_path, {"TRAPLINE_CONFIG": ""})
    assert (done.returncode, done.stderr) == (0, "trapline: the library has no traps\n")


def test_a_report_is_no_page_for_a_terminal(tmp_path: Path) -> None:
    copy_practice_library(tmp_path / "library.sqlite")
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "trapline", "report", "kiss", "--db", "library.sqlite"],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
            cwd=tmp_path,
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 0
    assert done.stderr == "trapline: the whole report is a page: name a file, -o report.html\n"


def test_a_table_that_is_too_wide_for_the_terminal_is_told_a_row_after_the_other(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        library.add_all(bundled_traps())
    ours, theirs = pty.openpty()
    read: list[bytes] = []

    def drain() -> None:
        with suppress(OSError):  # the end of a terminal
            while piece := os.read(ours, 1 << 16):
                read.append(piece)

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        subprocess.run(
            [sys.executable, "-m", "trapline", "library", "list", "--db", "library.sqlite"],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3]), "COLUMNS": "70", "TERM": "dumb"},
            cwd=tmp_path,
            stdout=theirs,
            check=True,
            timeout=120,
        )
    finally:
        os.close(theirs)
        reader.join(timeout=60)
        os.close(ours)
    lines = b"".join(read).decode().splitlines()
    assert {"slug: legal-mate", "killer line: Bxf7+ Ke7 Nd5#"} <= set(lines)
    assert not [line for line in lines if "│" in line]


def test_what_an_error_quotes_may_be_without_end(tmp_path: Path) -> None:
    done = run_program(("tree", "W" * 100_000), tmp_path, {})
    assert done.returncode == 3
    assert done.stderr.startswith("trapline: not a FEN")
    assert len(done.stderr) < 2200
    assert done.stderr.count("\n") == 1
