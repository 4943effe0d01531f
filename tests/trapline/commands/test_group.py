"""``trapline group`` as a coach runs it, and a pupil's practice of what is assigned."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import run_program
from tests.support.practice_library import BOB, LEA, copy_group_library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy_group_library(tmp_path / "library.sqlite")
    return tmp_path


def run(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return run_program((*arguments, "--db", "library.sqlite"), folder, {}, given)


def test_a_coach_makes_a_group_assigns_exercises_and_prints_a_sheet(folder: Path) -> None:
    assert "made the group Wednesday" in run(folder, "group", "create", "Wednesday").stderr
    assert run(folder, "group", "add", "wednesday", "lea", BOB).stderr.endswith(
        "in the group Wednesday: Bob; Lea Ann\n"
    )
    assigned = run(folder, "group", "assign", "Wednesday", "--count", "2")
    assert assigned.returncode == 0
    assert "1. avoid 5...Bxd1" in assigned.stdout
    assert assigned.stderr == "trapline: assigned 2 exercises to Wednesday\n"
    more = run(folder, "group", "assign", "Wednesday", "--count", "50")
    assert "to Wednesday, and not 50: no other losing move makes an exercise" in more.stderr
    run(folder, "group", "assign", "Wednesday", "--count", "2")
    practised = run(folder, "practise", "--group", "Wednesday", "--player", "lea", "--count", "1", given="Nxe5\n")
    assert "Right: 5...Nxe5." in practised.stdout
    assert "Wednesday\twednesday\tBob; Lea Ann\t2 exercises since" in run(folder, "group", "list").stdout
    done = run(folder, "group", "report", "Wednesday", "-o", "sheet.html", "--language", "de")
    assert done.returncode == 0
    assert "Gemeinsame Schwächen" in done.stdout
    sheet = (folder / "sheet.html").read_text("utf-8")
    assert "Wer was gelöst hat" in sheet
    assert "@media print" in sheet
    found = json.loads(run(folder, "group", "report", "Wednesday", "--json").stdout)
    assert {each["name"]: each["solved"] for each in found["pupils"]} == {BOB: 0, LEA: 1}
    assert run(folder, "group", "remove", "Wednesday", "bob").stderr.endswith("in the group Wednesday: Lea Ann\n")
    assert "deleted the group Wednesday" in run(folder, "group", "delete", "Wednesday").stderr
    assert run(folder, "group", "list").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("group", "report", "Thursday"), "did you mean 'Tuesday'"),
        (("group", "add", "Tuesday", "Lea Anne"), "the nearest are Lea Ann"),
        (("group", "remove", "Tuesday", "Lea"), "is no pupil of Tuesday"),
        (("group", "create", "tuesday"), "already"),
        (("group", "assign", "Tuesday"), "nobody is in the group Tuesday yet"),
        (("group", "report", "Tuesday", "-o", "library.sqlite"), "is the library itself"),
        (("practise", "--group", "Tuesday"), "--group wants --player NAME"),
        (("practise", "--group", "Tuesday", "--player", "lea"), "is no pupil of Tuesday"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_says_what_to_do(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    run(folder, "group", "create", "Tuesday")
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
