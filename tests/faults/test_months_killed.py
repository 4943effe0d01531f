"""Games joined by month in a process that is killed, or whose disk is full, at each of its steps in turn."""

import errno
import os
import re
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import text

from db.library.open import open_library
from trapcore.errors import TraplineError
from trapcore.io.streams import open_bytes
from trapline.service.jobs import run_job
from trapline.service.maintenance_jobs import annotate
from trapline.service.service import Service
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome
from trapline.settings import Settings

pytestmark = pytest.mark.fault

STEPS = frozenset({"rename", "replace", "unlink", "mkdir", "rmdir", "chmod", "fsync", "write"})
"""Calls of the operating system that change something, and those of the database besides."""

ALL_STEPS = 3
"""What a process returns that had fewer steps."""

SEPTEMBER = [f"202009{day:02}T101500-aaaa00{day:02}" for day in range(1, 5)]
OCTOBER = [f"202010{day:02}T101500-bbbb00{day:02}" for day in range(1, 4)]


@contextmanager
def service_in(folder: Path) -> Iterator[Service]:
    settings = Settings(
        db=folder / "library.sqlite", measure="sequences", tell="known", service={"folder": folder / "service"}
    )
    made = Service(settings, open_library(settings.db, create=True))
    with made.library.database.write() as connection:
        connection.execute(text("DELETE FROM leases"))  # as if the time of a dead holder had passed
    try:
        yield made
    finally:
        made.close()


def put(service: Service, *names: str) -> None:
    for name in names:
        games = [f'[Event "{name} {n}"]\n[White "{name}"]\n[Black "B{n}"]\n\n1. e4 e5 2. Nf3 *' for n in range(2)]
        service.game_files.put("users", f"anna/{name}", games)
    service.game_files.index(service.game_files.files(), StopFlag(service.clock), Outcome())


def in_child(work: Callable[[], int | None]) -> int:
    """What a process returns that does this, 0 for None; negative if it was killed by a signal."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work() or 0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def at_step(number: int, does: Callable[[Any], object]) -> Callable[[], bool]:
    """From now on this process does something before its step of that number; whether it came so far."""
    steps = 0

    def step(_: FrameType, event: str, called: Any) -> None:
        nonlocal steps
        if event != "c_call":
            return
        owner = getattr(called, "__self__", None)
        is_database = isinstance(owner, sqlite3.Connection | sqlite3.Cursor)
        if is_database or (called.__name__ in STEPS and not isinstance(owner, str | bytes)):
            steps += 1
            if steps == number:
                does(owner)

    sys.setprofile(step)
    return lambda: steps >= number


def kill(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fill(owner: Any) -> None:
    """Like a disk on which no space is left."""
    if isinstance(owner, sqlite3.Connection | sqlite3.Cursor):
        raise sqlite3.OperationalError("database or disk is full")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def games_in(folder: Path) -> Counter[str]:
    """How often each game is in the files."""
    found: Counter[str] = Counter()
    for path in (folder / "service" / "games").rglob("*.pgn*"):
        with open_bytes(path) as reader:
            found.update(re.findall(r'\[Event "(.*?)"\]', b"".join(reader).decode()))
    return found


def prepared(folder: Path) -> None:
    """A month that is joined and gets late games, and one that is new; both with annotated copies."""
    with service_in(folder) as service:
        put(service, *SEPTEMBER[:2])
        run_job(service, "vacuum")
        put(service, *SEPTEMBER[2:], *OCTOBER)
        annotate(service, StopFlag(service.clock), Outcome())


@pytest.mark.parametrize(("does", "steps"), [(kill, 3), (fill, 5)])
def test_nothing_is_lost_and_nothing_is_there_twice(tmp_path: Path, does: Callable[[Any], object], steps: int) -> None:
    start, folder = tmp_path / "start", tmp_path / "now"
    folder.mkdir()
    assert in_child(lambda: prepared(folder)) == 0
    folder.rename(start)
    wanted = games_in(start)
    assert set(wanted.values()) == {1}
    assert len(wanted) == 2 * len(SEPTEMBER + OCTOBER)
    for number in count(1, steps):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(start, folder)

        def disturbed(at: int = number) -> int:
            with service_in(folder) as service:
                is_reached = at_step(at, does)
                with suppress(TraplineError):  # where not even the log can be written
                    run_job(service, "vacuum")
                sys.setprofile(None)
            return 0 if is_reached() else ALL_STEPS

        status = in_child(disturbed)
        assert set(games_in(folder)) == set(wanted), number
        assert in_child(lambda: whole_after(folder, wanted)) == 0, number
        if status == ALL_STEPS:
            break
        assert status == (-signal.SIGKILL if does is kill else 0), number
    assert number > 50


def whole_after(folder: Path, wanted: Counter[str]) -> None:
    """The next run brings it to its end."""
    with service_in(folder) as service:
        done = run_job(service, "vacuum")
        assert done is not None
        assert (done.error, done.outcome.problems) == (None, [])
        names = [path.name for path in service.game_files.files()]
        assert names == ["2020-09.pgn.zst", "2020-10.pgn.zst"], names
        assert len(service.source_state.all("file ")) == 2
        assert service.library.counts().games == len(wanted)
        outcome = Outcome()
        service.game_files.index(service.game_files.files(), StopFlag(service.clock), outcome)
        assert outcome.counts["files"] == 0
        service.library.check_file()
    assert games_in(folder) == wanted
    left = [path.name for path in folder.rglob("*") if path.name.startswith(".trapline-")]
    assert left == []
    copies = folder / "service" / "annotated" / "users" / "anna"
    assert {path.name for path in copies.iterdir()} <= set(names)
