"""Kills every writing command at random moments, and holds what is left to be whole.

    python -m tests.faults.random_kills --moments 300

After each kill the library opens, SQLite finds it whole, and nothing that was there before is gone; an output is there
as a whole or not at all. The next run goes on; one that is left to its end has the content of a run that nobody killed,
and after it nothing lies there but what was asked for. Each command gets the same share of the moments. The seed of the
moments is printed, and ``--seed`` repeats them.
"""

import argparse
import hashlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from db.formats.bundled import bundled_traps, make_bundled
from db.formats.export_file import write_traps
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from tests.support.trap_games import ELEPHANT_FELL, FELL, game
from trapcore.io.streams import open_bytes
from workshop.benchmarks.material import master_games

Content = dict[str, object]

GAMES = 1500
OFTEN = 25
"""Times that a move of a trap is played, and a candidate has to be: few moves of the other games are."""
EXERCISES = 3
"""Answers of a run of the practice, each by having the solution shown."""
FEW = 40
"""Traps of the library that is verified, and of the file that is imported: each is proved."""
MINED = ("--nodes", "20000", "--min-games", str(OFTEN))


ADD = (
    *("library", "add", "--moves", "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 h6 Nxe5", "--bait", "Bxd1"),
    *("--line", "Bxf7+ Ke7 Nd5#", "--name", "A trap"),
)
REPERTOIRE = ("repertoire", "build", "--color", "white", "--positions", "5", "--nodes", "300", "--depth", "6")


@dataclass(frozen=True)
class Work:
    """A command that is killed."""

    name: str
    command: Callable[[Path], Sequence[str]]
    """Given the folder of the run."""
    start: Sequence[tuple[str, Path]]
    """The files that it begins with, by their names in the folder."""
    content: Callable[[Path], Content]
    """What counts of the files in the folder; of those that only appear as a whole, whether they are there."""
    made: Sequence[str] = ()
    """The files that are there when it has ended, besides those that it begins with."""
    input: str = ""
    """What is written to its standard input."""


def main(arguments: Sequence[str]) -> None:
    """Run all of it; exits with 1 as soon as something was lost."""
    parser = argparse.ArgumentParser(description="Kill every writing command at random moments.")
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1000))
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="trapline-kills-") as name:
        works = works_in(Path(name), GAMES)
        for number, work in enumerate(works):
            moments = given.moments // len(works) + (number < given.moments % len(works))
            kills, runs = kill(work, moments, Path(name) / work.name, chance)
            print(
                f"{work.name}: killed at {kills} moments, {runs} runs came to their end; "
                "nothing lost, nothing left behind",
                flush=True,
            )


def works_in(folder: Path, games_read: int) -> list[Work]:
    """Every writing command, with files in this folder made of so many games."""
    games, tricks = folder / "games.pgn", folder / "tricks.pgn"
    games.write_bytes(b"\n\n".join(master_games(games_read)) + b"\n")
    fallen = [game(moves, Round=str(n)) for n in range(OFTEN) for moves in (FELL, ELEPHANT_FELL)]
    tricks.write_text("\n".join(fallen) + games.read_text(encoding="latin-1"), encoding="latin-1")
    empty, indexed, full, bare = (folder / f"{name}.sqlite" for name in ("empty", "indexed", "full", "bare"))
    open_library(bare, create=True).close()
    with open_library(empty, create=True) as library:
        library.add_all(bundled_traps(), checked=True)
    with open_library(indexed, create=True) as library:
        index_files(library, [tricks])
    shutil.copy(empty, full)
    with open_library(full) as library:
        index_files(library, [games])

    few, proved = folder / "few.sqlite", folder / "proved.sqlite"
    with open_library(few, create=True) as library:
        library.add_all(bundled_traps()[:FEW], checked=True)
    make_bundled(proved, lambda _: None)

    export, some = folder / "export.pgn", folder / "some.pgn"
    with open_library(few, read_only=True) as library:
        write_traps(library.traps() * 3, export, as_json=False, library=library.name)
    some.write_text("".join(fallen), encoding="latin-1")

    def at(run: Path) -> list[str]:
        return ["--db", str(run / "library.sqlite")]

    def started(path: Path) -> Sequence[tuple[str, Path]]:
        return [("library.sqlite", path)]

    both = [("library.sqlite", empty), ("copy.sqlite", full)]
    outputs = ("out.pgn.zst", "out.jsonl")
    return [
        Work("index", lambda run: ["index", "--tell", "known", str(games), *at(run)], started(empty), _library),
        Work("mine", lambda run: ["mine", *MINED, *at(run)], started(indexed), _library),
        Work(
            "import",
            lambda run: ["library", "import", str(export), *at(run)],
            started(bare),
            _library,
        ),
        Work("init", lambda run: ["library", "init", "--bundled", *at(run)], [], _made, ["library.sqlite"]),
        Work("backup", lambda run: _backup(run, at(run)), started(full), _copies, ["copy.sqlite"]),
        Work(
            "restore",
            lambda run: ["library", "restore", "--replace", str(run / "copy.sqlite"), *at(run)],
            both,
            _restored,
        ),
        Work("annotate", lambda run: _annotate(some, run, at(run)), started(full), _files(*outputs), outputs),
        Work("add", lambda run: [*ADD, *at(run)], started(bare), _library),
        Work("verify", lambda run: ["library", "verify", *at(run)], started(few), _library),
        Work("train", lambda run: ["library", "train", *at(run)], started(empty), _library),
        Work(
            "export",
            lambda run: ["library", "export", "-o", str(run / "out.pgn.zst"), *at(run)],
            started(full),
            _files("out.pgn.zst"),
            ["out.pgn.zst"],
        ),
        Work(
            "repertoire",
            lambda run: [*REPERTOIRE, "-o", str(run / "out.pgn"), *at(run)],
            started(indexed),
            _files("out.pgn"),
            ["out.pgn"],
        ),
        Work(
            "report",
            lambda run: ["report", "Boris", "-o", str(run / "out.html"), *at(run)],
            started(indexed),
            _files("out.html"),
            ["out.html"],
        ),
        Work(
            "practise",
            lambda run: ["practise", "--count", str(EXERCISES), *at(run)],
            started(proved),
            _practised,
            input="show\n" * EXERCISES,
        ),
        Work(
            "exercises",
            lambda run: ["practise", "--export", str(run / "out.pgn"), "--opening", "Scandinavian", *at(run)],
            started(proved),
            _files("out.pgn"),
            ["out.pgn"],
        ),
    ]


def _backup(run: Path, db: Sequence[str]) -> Sequence[str]:
    return ["library", "backup", str(run / "copy.sqlite"), *db]


def _annotate(games: Path, run: Path, db: Sequence[str]) -> Sequence[str]:
    arguments = ["-o", str(run / "out.pgn.zst"), "--report", str(run / "out.jsonl"), "--resume", "--quiet"]
    return ["annotate", str(games), "--tell", "known", *arguments, *db]


def _files(*names: str) -> Callable[[Path], Content]:
    """The outputs of these names, by their digests."""

    def content(run: Path) -> Content:
        found: Content = {"whole": ""}
        for name in names:
            path = run / name
            found[name] = int(path.exists())
            if path.exists():
                with open_bytes(path) as reader:
                    found["whole"] = f"{found['whole']} {hashlib.sha256(b''.join(reader)).hexdigest()}"
        return found

    return content


def _practised(run: Path) -> Content:
    """Answers that are stored; a run that is killed goes on with other exercises."""
    with open_library(run / "library.sqlite", read_only=True) as library, library.database.read() as connection:
        answers = connection.scalar(text("SELECT count(*) FROM practice_reviews")) or 0
    return {"answers": min(answers, EXERCISES)}


def _made(run: Path) -> Content:
    return _library(run) if (run / "library.sqlite").exists() else {"traps": 0, "whole": ""}


def _restored(run: Path) -> Content:
    """The library is the old one or the new one, and the copy stays what it was."""
    with open_library(run / "copy.sqlite", read_only=True) as library:
        copied = _content(library)
    return _library(run) | {"copied": copied["games"]}


def _library(run: Path) -> Content:
    with open_library(run / "library.sqlite", read_only=True) as library:
        return _content(library)


def _copies(run: Path) -> Content:
    """A copy is there as a whole or not at all."""
    copy = run / "copy.sqlite"
    if copy.exists():
        _check(copy)
        with open_library(copy, read_only=True) as library:
            copied = _content(library)
        assert copied == _library(run), "the copy is another library"
    return {"copies": int(copy.exists())} | _library(run)


def _content(library: Library) -> Content:
    """Counts that only grow, and, where a run has ended, the whole content without the numbers of rows."""
    with library.database.read() as connection:
        games = connection.execute(text("SELECT hex(digest), byte_offset FROM games ORDER BY 1")).all()
        keys = connection.execute(text("SELECT hex(key) FROM positions ORDER BY 1")).all()
        occurrences = connection.scalar(text("SELECT count(*) FROM occurrences"))
        mined = connection.scalar(text("SELECT count(*) FROM mined"))
        weights = connection.execute(text("SELECT hex(data) FROM weights")).all()
    traps = sorted((trap.epd, trap.line, trap.name, trap.family, str(trap.verdict)) for trap in library.traps())
    whole = hash((*map(tuple, games), *map(tuple, keys), *traps, len(library.sightings()), *map(tuple, weights)))
    return {"games": len(games), "occurrences": occurrences, "traps": len(traps), "mined": mined, "whole": whole}


def kill(work: Work, moments: int, run: Path, chance: random.Random) -> tuple[int, int]:
    """Kills, and runs that came to their end, from the same beginning each time."""
    _begin(work, run)
    began = time.monotonic()
    _run(work, run)
    took = time.monotonic() - began
    wanted = work.content(run)
    kills = runs = 0
    _begin(work, run)
    before = work.content(run)
    while kills < moments:
        killed = _run(work, run, took * chance.random())
        kills += killed
        runs += not killed
        after = work.content(run)
        if killed:
            if (run / "library.sqlite").exists():
                _check(run / "library.sqlite")
            for what, count in before.items():
                assert what == "whole" or int(str(after[what])) >= int(str(count)), f"{work.name} lost {what}"
            before = after
        if not killed or after == wanted:
            assert after == wanted, f"{work.name} came to another content: {after}, not {wanted}"
            if killed:
                _begin_again(work, run)
            _check_nothing_left(work, run)
            _begin(work, run)
            before = work.content(run)
    _begin_again(work, run)
    assert work.content(run) == wanted, f"{work.name} came to another content"
    _check_nothing_left(work, run)
    return kills, runs + 1


def _begin(work: Work, run: Path) -> None:
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    for name, path in work.start:
        shutil.copy(path, run / name)


def _begin_again(work: Work, run: Path) -> None:
    """The next run after a kill, which comes to its end."""
    if work.name == "init" and (run / "library.sqlite").exists():
        open_library(run / "library.sqlite").close()  # it is made already; the next opening sweeps
    else:
        _run(work, run)


def _check_nothing_left(work: Work, run: Path) -> None:
    wanted = {name for name, _ in work.start} | {*work.made} | {"library.sqlite.bags"}
    left = {path.name for path in run.iterdir()} - wanted
    assert not left, f"{work.name} left {', '.join(sorted(left))}"


def _run(work: Work, run: Path, seconds: float | None = None) -> bool:
    """Run it to its end, or for so long; whether it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trapline", *work.command(run)],
        stdout=subprocess.DEVNULL,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(work.input, timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode == 0, said
    return False


def _check(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchone()
    assert found == ("ok",), f"{path.name}: {found}"


if __name__ == "__main__":
    main(sys.argv[1:])
