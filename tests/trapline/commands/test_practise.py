"""``trapline practise`` as people run it, from a terminal or with answers on standard input."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from coach.practice.collect import Filter
from coach.practice.exercise import Task
from coach.practice.schedule import now_utc
from coach.practice.session import open_practice
from db.library.open import open_library
from db.storage.tables import PracticeReviewRow
from tests.support.command_line import run_program
from tests.support.practice_library import PLAYER, copy_practice_library

HEAD = ("practise", "--db", "library.sqlite")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy_practice_library(tmp_path / "library.sqlite")
    return tmp_path


def practise(folder: Path, given: str, *more: str) -> subprocess.CompletedProcess[str]:
    return run_program((*HEAD, "--player", PLAYER, *more), folder, {}, given)


def stored(folder: Path) -> int:
    with open_library(folder / "library.sqlite", read_only=True) as library, library.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(PracticeReviewRow)) or 0


def test_a_session_without_a_terminal_ends_with_the_input(folder: Path) -> None:
    done = practise(folder, "hint\nKe9\nBxd1\nNxe5\n", "--theme", "mate")
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.split("> ")
    assert "Black to move: a natural move loses here. Find one that does not." in first
    assert "  1  ♖ · · ♔ ♕ ♗ · ♖" in first  # Black below
    assert rest[0].startswith("The move to avoid loses to a mate in 2.")
    assert rest[1].startswith("'Ke9' is no legal move here; write one like Nf3")
    assert rest[2].startswith("5...Bxd1 loses to a mate in 2: 6.Bxf7+ Ke7 7.Nd5#.")
    assert "Try again." in rest[2]
    assert rest[3].startswith("Right: 5...Nxe5.")
    assert "Anna – Éva Kiss, 2020.05.01 (https://lichess.org/x)" in rest[3]
    assert "1 answered, 0 right at once." in done.stdout
    assert stored(folder) == 2


def test_skip_puts_an_exercise_off_and_count_ends(folder: Path) -> None:
    done = practise(folder, "skip\nskip\nskip\n", "--count", "2")
    assert done.stdout.count("> ") == 2
    assert stored(folder) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--player", "Eve Kisss"), "the nearest are Éva Kiss"),
        (("--theme", "mat"), "did you mean 'mate'?"),
        (("--opening", "Grünfeld"), "exercises is of this kind"),
        (("--rating", "strong"), "--rating takes two numbers"),
        (("--export", "deck.zip"), "FILE.pgn, FILE.apkg or a FOLDER"),
        (("--export", "library.sqlite"), "FILE.pgn, FILE.apkg or a FOLDER"),
    ],
)
def test_what_cannot_be_says_what_to_do(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    done = run_program((*HEAD, *arguments), folder, {})
    assert done.returncode == 2
    assert says in done.stderr


def test_ctrl_c_keeps_what_was_answered(folder: Path) -> None:
    arguments = [sys.executable, "-m", "trapline", *HEAD, "--player", PLAYER, "--theme", "mate"]
    with subprocess.Popen(
        arguments,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test that runs in the background has it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("Bxd1\n")
        process.stdin.flush()
        for line in process.stdout:
            if "Try again" in line:
                break
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    assert "1 answered, 0 right at once." in rest
    assert stored(folder) == 1


def test_exercises_are_written_to_files(folder: Path) -> None:
    done = practise(folder, "", "--export", "deck.apkg")
    assert (done.returncode, done.stderr) == (0, "trapline: wrote deck.apkg\n")
    assert (folder / "deck.apkg").read_bytes()[:2] == b"PK"
    assert practise(folder, "", "--export", "chapters").stderr == "trapline: wrote chapters/exercises-1.pgn\n"
    assert practise(folder, "", "--export", "all.pgn").returncode == 0
    assert (folder / "all.pgn").read_text() == (folder / "chapters" / "exercises-1.pgn").read_text()


def test_decoy_asks_whether_something_wins_and_says_why_nothing_does(folder: Path) -> None:
    arguments = ("--pattern", "mate:N:K")
    given, decoys, asked = [], 0, set[str]()
    with open_library(folder / "library.sqlite") as library:
        practice = open_practice(library, PLAYER, Filter(pattern="mate:N:K"))
        while (each := practice.next(library, now_utc(), asked)) is not None:
            asked.add(each.id)
            given.append("no" if each.is_decoy else "yes" if each.task is Task.KILLER else "skip")
            given += ["skip"] if given[-1] == "yes" else []
            decoys += each.is_decoy
    assert decoys
    done = practise(folder, "\n".join([*given, ""]), *arguments, "--count", "50")
    assert done.returncode == 0
    assert "yes, no, hint, show, skip, quit" in done.stdout
    assert "is there a winning move, and which?" in done.stdout
    assert done.stdout.count("There is. ") == given.count("yes")
    assert done.stdout.count("Right, nothing wins. ") == decoys
    assert "It only looks like the pattern: " in done.stdout
    assert f"{decoys} answered, {decoys} right at once." in done.stdout
    assert stored(folder) == decoys
