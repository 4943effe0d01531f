"""The commands from the entry point, as their users run them: two outputs and an exit code."""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from db.formats.bundled import bundled_traps
from db.library.open import open_library
from db.patterns.bundled import bundled_patterns, count
from tests.support.command_line import run_program
from tests.support.db_traps import AVOIDED, FELL, LEGAL_MOVES, MIRRORED, OTHER, legal, write
from tests.support.templates import copy_of
from trapcore.proof.verdict import Verdict

Run = Callable[..., subprocess.CompletedProcess[str]]

LEGAL = ["--moves", LEGAL_MOVES, "--bait", "Bxd1", "--line", "Bxf7+ Ke7 Nd5#", "--name", "Légal's mate"]
ELEPHANT = [
    *("--moves", "d4 d5 c4 e6 Nc3 Nf6 Bg5 Nbd7 cxd5 exd5", "--bait", "Nxd5", "--name", "Elephant trap"),
    *("--line", "Nxd5 Bxd8 Bb4+ Qd2 Bxd2+ Kxd2 Kxd8", "--family", "elephant"),
]
HARMLESS = ["--moves", "e4 e5", "--bait", "Nf3", "--line", "Nc6", "--name", "Harmless"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run ``trapline`` in a folder and with a home of its own; exit codes other than the one expected fail the test."""

    def call(*arguments: str, code: int = 0, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        done = run_program(arguments, tmp_path, {"HOME": str(tmp_path / "home"), **more}, given)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture
def db(tmp_path: Path) -> list[str]:
    """The option for a library with two traps."""

    def make(path: Path) -> None:
        option = ["--db", str(path)]
        adding = (("add", *LEGAL, "--family", "legal"), ("add", *ELEPHANT))
        for arguments in (("init", "--empty"), *adding):
            done = run_program(("library", *arguments, *option), path.parent, {"HOME": str(tmp_path / "home")})
            assert done.returncode == 0, done.stderr

    copy_of("two-traps.sqlite", make, tmp_path / "my.sqlite")
    return ["--db", "my.sqlite"]


def test_init_makes_a_library_once(run: Run, tmp_path: Path) -> None:
    done = run("library", "init", "--empty", "--db", "x.sqlite")
    assert (done.stdout, done.stderr) == ("", "trapline: x.sqlite has 0 traps: nothing\n")
    done = run("library", "init", "--empty", "--db", "x.sqlite", code=5)
    assert done.stderr == "trapline: x.sqlite is a trap library already, with 0 traps\n"
    assert "folder does not exist" in run("library", "init", "--empty", "--db", "no/x.sqlite", code=5).stderr
    assert {path.name for path in tmp_path.iterdir()} == {"x.sqlite"}


@pytest.mark.slow
def test_the_default_library_is_made_of_the_bundled_traps_when_it_is_first_read(run: Run, tmp_path: Path) -> None:
    first = run("library", "list", "--json")
    traps = json.loads(first.stdout)
    assert len(traps) > 90
    assert [trap["slug"] for trap in traps] == sorted(trap["slug"] for trap in traps)
    path = tmp_path / "home" / ".local" / "share" / "trapline" / "library.sqlite"
    assert f"making the library {path}" in first.stderr
    assert {file.name for file in path.parent.iterdir()} == {"library.sqlite"}
    second = run("library", "list", "--json")
    assert (second.stdout, second.stderr) == (first.stdout, "")


@pytest.mark.parametrize(
    "command",
    [
        ["library", "add", *HARMLESS],
        ["library", "import", "g.pgn"],
        ["index", "--tell", "known", "g.pgn"],
        ["mine", "g.pgn"],
    ],
    ids=lambda command: command[:2],
)
def test_a_library_that_was_named_is_made_of_the_bundled_traps_to_be_filled(
    run: Run, tmp_path: Path, command: list[str]
) -> None:
    write(tmp_path / "g.pgn", FELL)
    told = run(*command, "--db", "new.sqlite").stderr
    assert "trapline: making the library new.sqlite of the bundled traps, once\n" in told
    with open_library(tmp_path / "new.sqlite", read_only=True) as library:
        assert library.trap("legal-mate").verdict is Verdict.PROVED
        assert library.counts().traps >= len(bundled_traps())
        with library.database.read() as connection:
            assert count(connection) == len(bundled_patterns())


@pytest.mark.parametrize(
    "command", [["annotate", "g.pgn", "-o", "a.pgn"], ["query", "--family", "legal"], ["report", "x"], ["practise"]]
)
def test_a_library_that_was_named_is_not_made_by_who_only_reads(run: Run, tmp_path: Path, command: list[str]) -> None:
    write(tmp_path / "g.pgn", FELL)
    told = run(*command, "--db", "no.sqlite", code=5).stderr
    assert "make one with `trapline library init --db no.sqlite`" in told
    assert [path.name for path in tmp_path.iterdir()] == ["g.pgn"]


def test_add_proves_and_says_so(run: Run) -> None:
    db = ["--db", "x.sqlite"]
    run("library", "init", "--empty", *db)
    done = run("library", "add", *LEGAL, *db)
    assert done.stdout == "legals-mate\n"
    assert "Légal's mate is added: proved, mate in 2" in done.stderr
    assert "is unchanged" in run("library", "add", *LEGAL, *db).stderr
    done = run("library", "add", *ELEPHANT, *db)
    assert "Elephant trap is added: proved, costs " in done.stderr
    assert "Harmless is added: undecided, said to win material" in run("library", "add", *HARMLESS, *db).stderr
    other = [*LEGAL[:-1], "Another name"]
    assert "--replace" in run("library", "add", *other, *db, code=2).stderr
    assert "is replaced" in run("library", "add", *other, "--replace", *db).stderr
    assert (
        "no legal move"
        in run("library", "add", "--name", "x", "--moves", "e4", "--bait", "e4", "--line", "d4", code=3).stderr
    )


def test_list_on_a_pipe_is_a_line_a_trap(run: Run, db: list[str]) -> None:
    elephant, legals = [line.split("\t") for line in run("library", "list", *db).stdout.splitlines()]
    assert elephant[1].startswith("proved, costs ")
    del elephant[1]
    assert elephant == ["elephant-trap", "white", "Nxd5", "Nxd5 Bxd8 Bb4+ Qd2 Bxd2+ Kxd2 Kxd8", "Elephant trap", ""]
    assert legals == ["legals-mate", "proved, mate in 2", "black", "Bxd1", "Bxf7+ Ke7 Nd5#", "Légal's mate", ""]


def test_list_and_show_as_json(run: Run, db: list[str]) -> None:
    traps = json.loads(run("library", "list", "--json", *db).stdout)
    assert [trap["slug"] for trap in traps] == ["elephant-trap", "legals-mate"]
    one = json.loads(run("library", "show", "legals-mate", "--json", *db).stdout)
    assert one.items() >= traps[1].items()
    assert (one["bait_san"], one["killer_line_san"], one["mate_in"]) == ("Bxd1", ["Bxf7+", "Ke7", "Nd5#"], 2)
    assert (one["events"], one["sightings"]) == ({}, [])


def test_show_tells_what_is_known(run: Run, db: list[str], tmp_path: Path) -> None:
    write(tmp_path / "g.pgn", FELL, AVOIDED, MIRRORED, OTHER)
    run("index", "g.pgn", *db)
    shown = run("library", "show", "legals-mate", *db).stdout
    for line in ("name          Légal's mate", "bait          Bxd1", "verdict       proved, mate in 2"):
        assert line in shown.splitlines()
    assert "in the games  avoided 1, fell 2" in shown.splitlines()
    tempts = "tempts        by rank and gain (rank 1 at first sight, seems to win "
    assert any(line.startswith(tempts) and "played 2 times of 3" in line for line in shown.splitlines())
    shown = run("library", "show", "elephant-trap", *db).stdout
    assert "depth     Nxd5  best other move  (for white, in pawns)" in shown.splitlines()
    told = json.loads(run("library", "show", "legals-mate", "--json", *db).stdout)
    assert (told["frequency"], told["tempts"]) == ({"decisions": 3, "played": 2}, ["rank", "gain"])
    assert told["profile"]["rank"] == 1
    assert "did you mean 'legals-mate'" in run("library", "show", "legal-mate", *db, code=2).stderr


def test_import_reports_what_was_bad(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "t.pgn", *([FELL] * 12), FELL.replace("Bxd1", "Bxd1??"))
    for name in ("x.sqlite", "y.sqlite"):
        run("library", "init", "--empty", "--db", name)
    done = run("library", "import", "t.pgn", "--db", "x.sqlite")
    assert done.stdout == "t.pgn: 13 read: 1 added, 12 bad; 1 proved\n"
    assert done.stderr.count("no move that another one follows is marked") == 10
    assert "and 2 bad ones more" in done.stderr
    (report,) = json.loads(run("library", "import", "t.pgn", "--json", "--db", "x.sqlite").stdout)
    assert (report["read"], report["unchanged"], len(report["bad"])) == (13, 1, 12)
    assert report["bad"][0]["where"] == "game 1"
    assert "no such file" in run("library", "import", "no.pgn", "--db", "x.sqlite", code=3).stderr
    piped = run("library", "import", "-", "--db", "y.sqlite", given=FELL.replace("Bxd1", "Bxd1??"))
    assert piped.stdout == "-: 1 read: 1 added; 1 proved\n"
    assert "nothing in it" in run("library", "import", "-", "--db", "y.sqlite", given="").stderr


def test_export_and_import_go_in_a_circle(run: Run, db: list[str], tmp_path: Path) -> None:
    text = run("library", "export", *db).stdout
    assert text.count("[Event ") == 2
    run("library", "export", "-o", "out.pgn.zst", *db)
    assert {path.name for path in tmp_path.iterdir()} == {"my.sqlite", "out.pgn.zst"}
    run("library", "init", "--empty", "--db", "copy.sqlite")
    run("library", "import", "out.pgn.zst", "--db", "copy.sqlite")
    with open_library(tmp_path / "my.sqlite") as one, open_library(tmp_path / "copy.sqlite") as other:
        assert [trap.line for trap in one.traps()] == [trap.line for trap in other.traps()]
    assert run("library", "export", "elephant-trap", *db).stdout.count("[Event ") == 1
    traps = json.loads(run("library", "export", "--json", *db).stdout)
    assert [len(trap["opinions"]) for trap in traps] == [1, 1]
    assert len(traps[0]["profile"]["depths"]) > 3
    assert "is the library itself" in run("library", "export", "-o", "my.sqlite", *db, code=2).stderr


def test_export_writes_proved_traps_for_studies(run: Run, db: list[str], tmp_path: Path) -> None:
    done = run("library", "export", "--study", "out", "legals-mate", *db)
    assert (done.stdout, done.stderr) == ("", "trapline: 1 trap in out/traps-1.pgn\n")
    assert '[ChapterName "Légal\'s mate"]' in (tmp_path / "out" / "traps-1.pgn").read_text("utf-8")
    with open_library(tmp_path / "my.sqlite") as library:
        library.add(replace(library.trap("legals-mate"), verdict=Verdict.UNDECIDED, mate_in=None), replace=True)
    done = run("library", "export", "--study", "both", "-o", "all.pgn", *db)
    assert done.stderr == "trapline: 1 trap in both/traps-1.pgn; 1 not proved and left out\n"
    assert (tmp_path / "both" / "traps-1.pgn").read_text("utf-8").count("[Event ") == 1
    assert (tmp_path / "all.pgn").read_text("utf-8").count("[Event ") == 2


def test_verify_proves_again_and_tells_of_changes(run: Run, db: list[str], tmp_path: Path) -> None:
    assert run("library", "verify", *db).stdout == "2 proved\n"
    with open_library(tmp_path / "my.sqlite") as library:
        library.add(legal(verdict=Verdict.REFUTED, proof_by="an error"), replace=True)
        before = library.digest()
    done = run("library", "verify", "--strict", *db)
    assert done.stdout.splitlines() == [
        "legals-mate: was refuted, said to win by mate, is proved, mate in 2",
        "2 proved",
    ]
    with open_library(tmp_path / "my.sqlite") as library:
        assert library.digest() != before
    report = json.loads(run("library", "verify", "legals-mate", "--json", *db).stdout)
    figures = {"proved": 1, "refuted": 0, "undecided": 0, "contradictions": 0, "changed": 0, "resumed": 0}
    assert report == {**figures, "disputed": [], "changes": []}


def test_verify_strict_fails_for_a_refuted_trap(run: Run, db: list[str]) -> None:
    helped = ["--moves", "e4 e5 Qh5", "--bait", "Nc6", "--line", "Bc4 d6 Qxf7#", "--name", "Helped"]
    assert "Helped is added: refuted" in run("library", "add", *helped, *db).stderr
    assert run("library", "verify", *db).stdout == "2 proved, 1 refuted\n"
    run("library", "verify", "--strict", *db, code=1)


def test_index_counts_and_finds(run: Run, db: list[str], tmp_path: Path) -> None:
    write(tmp_path / "g.pgn", FELL, AVOIDED, OTHER, "1. e4 e5 2. Ke4 *\n\n")
    done = run("index", "g.pgn", *db)
    told, looked = done.stdout.splitlines()
    assert told == (
        "4 games read, 4 of them new, with 35 positions; 0 games were done before; skipped: nothing; "
        "2 new sightings of traps"
    )
    assert re.fullmatch(r"4 games looked through, (1 losing move|[2-9] losing moves) in them", looked)
    assert done.stderr == (
        f"trapline: {tmp_path / 'g.pgn'}, game 4, move 2: Ke4 is not legal (a piece of white itself is on e4). "
        "The game is read up to there.\n"
    )
    report = json.loads(run("index", "g.pgn", "--json", *db).stdout)
    assert (report["games"], report["resumed_games"], report["sightings"]) == (0, 4, 0)
    done = run("index", "no.pgn", "g.pgn", *db, code=3)
    assert "no.pgn: there is no such file" in done.stderr
    piped = json.loads(run("index", "-", "--json", "--db", "z.sqlite", given=FELL).stdout)
    assert piped["new_games"] == 1
