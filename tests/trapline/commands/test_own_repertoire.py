"""``trapline repertoire check``, ``trapline repertoire from-games`` and ``trapline prepare`` as people run them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import trapline
from db.games.index_games import index_files
from db.library.open import open_library
from tests.fake_lichess.archive.stored import Study
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.command_line import run_program
from tests.support.db_traps import write
from tests.support.trap_games import game

MINE = '[Event "Mine"]\n[Orientation "white"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n'
CHECK = ("repertoire", "check", "mine.pgn", "--player", "ann", "--db", "library.sqlite")
PREPARE = ("prepare", "--against", "bob", "--db", "library.sqlite")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    moves = ("1. e4 e5 2. Nf3 Nc6 3. Bb5 0-1", "1. e4 e5 2. Nf3 Nf6 1-0", "1. e4 e5 2. Nf3 Nf6 1-0")
    games = [game(each, "Ann", "Bob", Round=str(n), Result=each.split()[-1]) for n, each in enumerate(moves)]
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        index_files(library, [write(tmp_path / "games.pgn", *games)])
    write(tmp_path / "mine.pgn", MINE)
    return tmp_path


def test_the_check_is_printed_and_written_as_a_page(folder: Path) -> None:
    done = run_program((*CHECK, "-o", "check.html"), folder, {})
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["The repertoire of Ann", "3 games by site: elsewhere 3."]
    assert "1.e4 e5 2.Nf3 Nc6\t3.Bb5\tBc4\t1\t0 % (+0 =0 −1)\tnot judged" in lines
    assert "1.e4 e5 2.Nf3\t2...Nf6\t2 of 3 (67 %)\t2" in lines
    page = (folder / "check.html").read_text("utf-8")
    assert "<td>3.Bb5</td>" in page
    assert "@media print" in page


def test_json_has_every_figure(folder: Path) -> None:
    found = json.loads(run_program((*CHECK, "--json"), folder, {}).stdout)
    (white,) = found["repertoires"]
    assert (found["players"], found["sites"], white["colour"]) == (["Ann"], {"elsewhere": 3}, "white")
    assert {each["kind"]: each["score"]["games"] for each in white["departures"]} == {"own": 1, "opponent": 2}
    assert white["gaps"][0]["reply"] == "2...Nf6"
    found = json.loads(run_program((*PREPARE, "--json"), folder, {}).stdout)
    assert (found["players"], found["games"], found["suggestion"]) == (["Bob"], 3, None)
    assert found["colours"][0]["tree"][1] == {
        **{"plies": 2, "move": "1...e5", "is_his": True, "games": 3, "of": 3},
        "score": {"games": 3, "wins": 1, "draws": 0, "losses": 2},
    }


def test_a_repertoire_from_games_can_be_checked(folder: Path) -> None:
    done = run_program(
        ("repertoire", "from-games", "--player", "ann", "--db", "library.sqlite", "-o", "own.pgn"), folder, {}
    )
    assert (done.returncode, done.stderr) == (
        0,
        "trapline: the repertoire for white of 3 games is written to own.pgn\n",
    )
    done = run_program(("repertoire", "check", "own.pgn", *CHECK[3:]), folder, {})
    assert "You left the repertoire first in 0 of 3 (0 %)" in done.stdout


def test_the_sheet_about_an_opponent_says_its_sample(folder: Path) -> None:
    done = run_program((*PREPARE, "-o", "sheet.html", "--language", "de"), folder, {})
    assert (done.returncode, done.stderr) == (0, "")
    assert "Die Stichprobe ist klein: 3 Partien." in done.stdout
    assert "Die Stichprobe ist klein: 3 Partien." in (folder / "sheet.html").read_text("utf-8")
    assert run_program((*PREPARE, "-o", "-"), folder, {}).stdout.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((*CHECK[:4], "nobody", *CHECK[5:]), 2, "no indexed game has a player called 'nobody'"),
        ((*CHECK, "--color", "red"), 2, "unknown color 'red'"),
        ((*CHECK, "--site", "fics"), 2, "unknown site 'fics'"),
        (
            (*CHECK, "--site", "lichess.org"),
            2,
            "no indexed game of Ann is from lichess.org; there are 3",
        ),
        (("repertoire", "check", "absent.pgn", *CHECK[3:]), 3, "absent.pgn"),
        ((*CHECK, "-o", "mine.pgn"), 2, "an input"),
        (
            ("repertoire", "check", "https://lichess.org/abcdefgh", *CHECK[3:]),
            *(2, "is no study: give the eight letters"),
        ),
        (
            (
                "repertoire",
                "from-games",
                "--player",
                "ann",
                "--min-games",
                "9",
                "-o",
                "x.pgn",
                "--db",
                "library.sqlite",
            ),
            *(2, "no move of Ann was played in 9 games or more"),
        ),
        ((*PREPARE[:2], "zed", *PREPARE[3:]), 2, "no indexed game has a player called 'zed'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = run_program(arguments, folder, {})
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def lichess() -> Iterator[Server]:
    """A private study, a public one, and a token that may write into the public one."""

    def prepare(site: Site) -> None:
        owner = site.join("Owner")
        site.token(owner, "lip_writer", ("study:read", "study:write"))
        site.archive.studies["studyOPE"] = Study("studyOPE", "owner", MINE, 0)
        site.archive.studies["studyNEW"] = Study("studyNEW", "owner", "", 0)
        site.archive.studies["studyPRI"] = Study("studyPRI", "somebody", MINE, 0, private=True)

    with Server() as running:
        running.do(prepare)
        yield running


def test_a_study_is_checked_by_its_address_and_a_private_one_is_said_to_be(folder: Path, lichess: Server) -> None:
    variables = {"TRAPLINE_SERVICE_URL": lichess.url}
    done = run_program(("repertoire", "check", f"{lichess.url}/study/studyOPE/12345678", *CHECK[3:]), folder, variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1.e4 e5 2.Nf3 Nc6\t3.Bb5\tBc4\t1\t0 % (+0 =0 −1)\tnot judged" in done.stdout
    done = run_program(("repertoire", "check", f"{lichess.url}/study/studyPRI", *CHECK[3:]), folder, variables)
    assert (done.returncode, done.stdout) == (3, "")
    assert "study studyPRI: it is private or was deleted; a private one needs the token of a member" in done.stderr


def test_a_repertoire_is_exported_to_a_file_and_once_to_a_study(folder: Path, lichess: Server) -> None:
    variables = {"TRAPLINE_SERVICE_URL": lichess.url, "TRAPLINE_SERVICE_TOKEN": "lip_writer"}
    export = ("repertoire", "export", "mine.pgn", "-o", "out.pgn", "--study", "studyNEW")
    done = run_program(export, folder, variables)
    assert (done.returncode, done.stderr.count("\n")) == (0, 2), done.stderr
    assert "1 chapter written to out.pgn" in done.stderr
    assert "1 of 1 chapters written into study studyNEW" in done.stderr
    assert "1. e4 e5 2. Nf3 Nc6 3. Bc4 *" in (folder / "out.pgn").read_text("utf-8")
    assert "0 of 1 chapters written" in run_program(export, folder, variables).stderr
    assert lichess.do(lambda site: site.archive.studies["studyNEW"].pgn.count("[Event ")) == 1
    assert "give --output FILE, or --study ID" in run_program(export[:3], folder, variables).stderr


def test_a_repertoire_is_drilled_line_by_line(folder: Path) -> None:
    pytest.importorskip("fsrs")
    drill = ("repertoire", "drill", "mine.pgn", "--db", "library.sqlite", "--player", "ann", "--color", "white")
    done = run_program(drill, folder, {}, "Ke9\nd4\nNf3\nshow\n")
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.split("> ")
    assert first.startswith("0 due, 3 new, 0 later.\nAnswer with a move, as Nf3 or g1f3; or write show, skip, quit.")
    assert "1.  White: the start" in first
    assert rest[0].startswith("'Ke9' is no legal move here")
    assert rest[1].startswith("Your repertoire has 1.e4.\n1.e4 e5\n")
    assert rest[2].startswith("Right.\n2.Nf3 Nc6\n")
    assert rest[3].startswith("Your repertoire has 3.Bc4.\n3.Bc4\nThe line ends here.")
    assert "3 answered, 1 right at once. 0 due, 0 new, 3 later; today 1 right, 2 wrong" in done.stdout
    # The answers are kept, and nothing is due yet.
    again = run_program(drill, folder, {}, "e4\n")
    assert again.stdout.startswith(
        "0 due, 0 new, 3 later; today 1 right, 2 wrong; 1 day in a row. The next comes today"
    )


def test_python_has_the_same(folder: Path) -> None:
    with trapline.open(folder / "library.sqlite") as library:
        (white,) = library.repertoire(folder / "mine.pgn", "ann")
        assert (white.count("own"), white.count("opponent")) == (1, 2)
        (black,) = library.repertoire(folder / "mine.pgn", "ann", colour="black")
        assert (black.colour, black.score.games) == ("black", 0)
        assert library.prepare("bob").colours[0].colour == "black"
        with pytest.raises(trapline.UsageError, match="zed"):
            library.prepare("zed")
