"""Killed at any moment: the library opens, is whole, and comes to the same content."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from tests.fake_lichess.http.server import Server
from tests.support.db_traps import ELEPHANT_FELL, FELL, elephant, legal
from tests.support.service_site import finished, random_moves, service_for
from trapline.service.jobs import run_job
from trapline.service.maintenance_jobs import backups_in

pytestmark = pytest.mark.fault

ROOT = Path(__file__).parents[2]
GAMES = 1200
FEW = 24
KILLS = 4
STOP_SECONDS = 60.0
"""After which a process that was asked to stop is stuck; it takes less than two seconds on a machine that is idle."""


def configured(tmp_path: Path) -> list[str]:
    """The command line without its job, for a library and a configuration in this folder."""
    service, games = tmp_path / "service", tmp_path / "games"
    table = f'[service]\nfolder = "{service}"\nfolders = ["{games}"]\n'
    (tmp_path / "trapline.toml").write_text(f'measure = "sequences"\n{table}')
    return [sys.executable, "-m", "trapline", "--config", str(tmp_path / "trapline.toml"), "jobs", "run"]


def begin(tmp_path: Path, job: str, limit: int = 0, **variables: str) -> "subprocess.Popen[str]":
    """The job in a process of its own, whose files may grow to ``limit`` bytes if that is not 0."""
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), **variables}
    command = [*configured(tmp_path), job, "--db", str(path(tmp_path))]
    if limit:
        limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, -1)); "
        started = "from trapline.__main__ import main; sys.argv[1:1] = []; main()"
        command = [sys.executable, "-c", limited + started, *command[3:]]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def path(tmp_path: Path) -> Path:
    return tmp_path / "library.sqlite"


def writes(tmp_path: Path, process: "subprocess.Popen[str]") -> float:
    """Wait until the process has begun to write; the moment at which it had."""
    while not Path(f"{path(tmp_path)}-wal").exists() and process.poll() is None:
        time.sleep(0.002)
    return time.monotonic()


def timed(tmp_path: Path, job: str) -> float:
    """Run the job to its end; seconds from its first writing."""
    with begin(tmp_path, job) as process:
        began = writes(tmp_path, process)
        output = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return time.monotonic() - began


def killed(tmp_path: Path, job: str, seconds: float) -> bool:
    """Begin the job and kill it so long after it began to write; False if it had ended before."""
    with begin(tmp_path, job) as process:
        writes(tmp_path, process)
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return True
    return False


def whole(tmp_path: Path) -> Iterator[Library]:
    with open_library(path(tmp_path)) as library:
        library.check_file()
        yield library


def drop_locks(library: Library) -> None:
    """As if the time had passed after which a dead holder's lease may be taken over."""
    with library.database.write() as connection:
        connection.execute(text("DELETE FROM leases"))


def drop_all_locks(tmp_path: Path) -> None:
    """The same for a library that nobody has open."""
    with open_library(path(tmp_path)) as library:
        drop_locks(library)


def content(library: Library) -> tuple[object, ...]:
    """Games, positions and sightings without the numbers of rows."""
    with library.database.read() as connection:
        games = connection.execute(text("SELECT hex(digest), white, byte_offset FROM games ORDER BY 1")).all()
        positions = connection.execute(text("SELECT hex(key) FROM positions ORDER BY 1")).all()
    return [tuple(row) for row in games], len(positions), sorted(map(str, library.sightings())), library.digest()


def fill(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    games = [FELL.replace('"A"', f'"A{number}"') for number in range(GAMES)]
    (folder / "many.pgn").write_text("".join(games) + ELEPHANT_FELL)
    old = time.time() - 1000
    os.utime(folder / "many.pgn", (old, old))
    with open_library(path(tmp_path), create=True) as library:
        library.add_all([legal(), elephant()])


def test_killed_while_it_indexes(tmp_path: Path) -> None:
    fill(tmp_path)
    shutil.copy(path(tmp_path), tmp_path / "empty.sqlite")
    took = timed(tmp_path, "folders")
    for library in whole(tmp_path):
        wanted = content(library)
        assert library.counts().games == GAMES + 1
    chance = random.Random(11)
    reached: list[int] = []
    kills = 0
    shutil.copy(tmp_path / "empty.sqlite", path(tmp_path))
    for number in range(KILLS):
        kills += killed(tmp_path, "folders", took * (number + chance.random()) / KILLS)
        for library in whole(tmp_path):
            reached.append(library.counts().games)
            drop_locks(library)
    assert kills >= 2
    # Each goes on where the one before was killed.
    assert reached == sorted(reached)
    assert reached[-1] > 0
    timed(tmp_path, "folders")
    for library in whole(tmp_path):
        assert content(library) == wanted


def test_killed_while_it_backs_up(tmp_path: Path) -> None:
    fill(tmp_path)
    with open_library(path(tmp_path)) as library:
        index_files(library, [tmp_path / "games" / "many.pgn"])
        wanted = content(library)
    chance = random.Random(12)
    took = timed(tmp_path, "backup")
    folder = tmp_path / "service" / "backups"
    (good,) = backups_in(folder)
    kills = 0
    for _ in range(KILLS):
        kills += killed(tmp_path, "backup", took * chance.uniform(0.0, 0.9))
        for library in whole(tmp_path):
            assert content(library) == wanted
            drop_locks(library)
        for made in backups_in(folder):
            with open_library(made, read_only=True) as library:
                library.check_file()
                assert content(library) == wanted
    assert kills
    timed(tmp_path, "backup")
    # What the killed ones left is gone, and the first one is among those that are kept.
    assert [p.name for p in folder.iterdir() if p not in backups_in(folder)] == []
    assert good in backups_in(folder)


def test_a_disk_that_is_full_loses_nothing(tmp_path: Path) -> None:
    """Files may grow to 300,000 bytes: the library cannot take all games."""
    fill(tmp_path)
    with begin(tmp_path, "folders", limit=300_000) as process:
        out, output = process.communicate(timeout=120)
    assert process.returncode == 1, (out, output)
    assert "Traceback" not in output
    for library in whole(tmp_path):
        assert library.counts().games < GAMES
        drop_locks(library)
    timed(tmp_path, "folders")
    for library in whole(tmp_path):
        assert library.counts().games == GAMES + 1


def journals(tmp_path: Path) -> list[Path]:
    """Journals of annotated copies that are not done."""
    return list((tmp_path / "service" / "annotated").rglob(".trapline-*/journal"))


def consumed(journal: Path) -> int:
    """Bytes of the one input that a journal says to be done."""
    return int(json.loads(journal.read_text().partition("\n")[2])["inputs"][0]["consumed"])


def test_sigterm_stops_inside_a_file_and_the_next_run_goes_on_there(tmp_path: Path) -> None:
    with open_library(path(tmp_path), create=True) as library:
        library.add(legal())
    source = tmp_path / "service" / "games" / "users" / "anna" / "many.pgn"
    source.parent.mkdir(parents=True)
    # Batches go by bytes, and time by games.
    games = [FELL.replace('"A"', f'"A{number}"').replace("1. e4", f"{{{'x' * 20_000}}} 1. e4") for number in range(FEW)]
    source.write_text("".join(games))
    with begin(tmp_path, "annotate") as process:
        while not journals(tmp_path) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=STOP_SECONDS)
    assert process.returncode == 1, output
    assert "told to stop" in output[0]
    (journal,) = journals(tmp_path)
    done = consumed(journal)
    assert 0 < done < source.stat().st_size
    drop_all_locks(tmp_path)
    seen = set()
    with begin(tmp_path, "annotate") as process:
        while process.poll() is None:
            for there in journals(tmp_path):
                with suppress(OSError):
                    seen.add((there, consumed(there)))
            time.sleep(0.005)
        output = process.communicate(timeout=STOP_SECONDS)
    assert process.returncode == 0, output
    # A run that begins anew has a folder of its own, and begins at the first byte.
    assert {there for there, _ in seen} == {journal}
    assert min(bytes_ for _, bytes_ in seen) == done < max(bytes_ for _, bytes_ in seen)
    copy = (tmp_path / "service" / "annotated" / "users" / "anna" / "many.pgn").read_text()
    assert copy.count("[White ") == FEW
    assert journals(tmp_path) == []


def test_killed_between_the_file_and_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was fetched and not yet indexed is indexed by the next run, without asking for it again."""
    chance = random.Random(2)
    with Server(speed=0.0) as server:
        for number in range(3):
            moves = random_moves(chance, 6)
            server.do(lambda site, n=number, m=moves: finished(site, f"game000{n}", "Alice", "Bob", m))  # type: ignore[misc]
        with service_for(server, tmp_path, users=("alice",)) as service:

            def die(*_: object, **__: object) -> None:
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(service.game_files, "index", die)
                with pytest.raises(KeyboardInterrupt):
                    run_job(service, "users")
            assert len(service.game_files.files("users")) == 1
            ran = run_job(service, "users")
            assert ran is not None
            assert (ran.outcome.counts["fetched"], ran.outcome.counts["new"]) == (0, 3)
            # And a file that is half written by a process that died is not taken for one.
            half = service.game_files.files("users")[0].parent / ".trapline-0123456789abcdef" / "content"
            half.parent.mkdir()
            (half.parent / "lock").write_text("{}")
            half.write_text("[Event")
            assert half not in service.game_files.files()
            assert not half.parent.exists()


def test_a_library_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    fill(tmp_path)
    with closing(sqlite3.connect(path(tmp_path))) as connection:
        connection.execute("UPDATE meta SET value = '9999' WHERE key = 'schema'")
        connection.commit()
    before = path(tmp_path).read_bytes()
    with begin(tmp_path, "folders") as process:
        _, output = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "schema 9999" in output
    assert path(tmp_path).read_bytes() == before
