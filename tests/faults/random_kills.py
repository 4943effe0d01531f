"""Kills indexing, mining and backing up at random moments, and holds what is left to be whole.

    python -m tests.faults.random_kills --moments 100

After each kill the library opens, SQLite finds it whole, and nothing that was there before is gone. The next run goes
on; one that is left to its end has the content of a run that nobody killed. A third of the moments goes to each
command. The seed of the moments is printed, and ``--seed`` repeats them.
"""

import argparse
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

from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from research.benchmarks.material import master_games
from tests.support.trap_games import ELEPHANT_FELL, FELL, game

Content = dict[str, object]

GAMES = 3000
OFTEN = 25
"""Times that a move of a trap is played, and a candidate has to be: few moves of the other games are."""
MINED = ("--nodes", "20000", "--min-games", str(OFTEN))


@dataclass(frozen=True)
class Work:
    """A command that is killed."""

    name: str
    command: Callable[[Path], Sequence[str]]
    """Given the folder of the run."""
    start: Path
    """The library that it begins with."""
    content: Callable[[Path], Content]
    """What counts of the folder's libraries."""


def main(arguments: Sequence[str]) -> None:
    """Run all of it; exits with 1 as soon as something was lost."""
    parser = argparse.ArgumentParser(description="Kill indexing, mining and backing up at random moments.")
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1000))
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="trapline-kills-") as name:
        works = _works(Path(name))
        for number, work in enumerate(works):
            moments = given.moments // len(works) + (number < given.moments % len(works))
            kills, runs = _kill(work, moments, Path(name) / work.name, chance)
            print(f"{work.name}: killed at {kills} moments, {runs} runs came to their end, nothing lost", flush=True)


def _works(folder: Path) -> list[Work]:
    games, tricks = folder / "games.pgn", folder / "tricks.pgn"
    games.write_bytes(b"\n\n".join(master_games(GAMES)) + b"\n")
    fallen = [game(moves, Round=str(n)) for n in range(OFTEN) for moves in (FELL, ELEPHANT_FELL)]
    tricks.write_text("\n".join(fallen) + games.read_text(encoding="latin-1"), encoding="latin-1")
    empty, indexed, full = (folder / f"{name}.sqlite" for name in ("empty", "indexed", "full"))
    with open_library(empty, create=True) as library:
        library.add_all(bundled_traps(), checked=True)
    with open_library(indexed, create=True) as library:
        index_files(library, [tricks])
    shutil.copy(empty, full)
    with open_library(full) as library:
        index_files(library, [games])

    def at(run: Path) -> list[str]:
        return ["--db", str(run / "library.sqlite")]

    return [
        Work("index", lambda run: ["index", str(games), *at(run)], empty, _library),
        Work("mine", lambda run: ["mine", *MINED, *at(run)], indexed, _library),
        Work("backup", lambda run: ["library", "backup", str(run / "copy.sqlite"), *at(run)], full, _copies),
    ]


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
    traps = sorted((trap.epd, trap.line, trap.name, trap.family, str(trap.verdict)) for trap in library.traps())
    whole = hash((tuple(map(tuple, games)), tuple(map(tuple, keys)), tuple(traps), len(library.sightings())))
    return {"games": len(games), "occurrences": occurrences, "traps": len(traps), "mined": mined, "whole": whole}


def _kill(work: Work, moments: int, run: Path, chance: random.Random) -> tuple[int, int]:
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
        if _run(work, run, took * chance.random()):
            kills += 1
        else:
            runs += 1
            found = work.content(run)
            assert found == wanted, f"{work.name} came to another content: {found}, not {wanted}"
            _begin(work, run)
            before = work.content(run)
            continue
        _check(run / "library.sqlite")
        after = work.content(run)
        for what, count in before.items():
            assert what == "whole" or int(str(after[what])) >= int(str(count)), f"{work.name} lost {what}"
        before = after
    _run(work, run)
    assert work.content(run) == wanted, f"{work.name} came to another content"
    return kills, runs + 1


def _begin(work: Work, run: Path) -> None:
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    shutil.copy(work.start, run / "library.sqlite")


def _run(work: Work, run: Path, seconds: float | None = None) -> bool:
    """Run it to its end, or for so long; whether it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trapline", *work.command(run)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=seconds)
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
