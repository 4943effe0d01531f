"""Jobs: one at a time over all processes, logged, and stoppable."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from db.library.backup import back_up, restore
from db.library.open import open_library
from tests.fake_lichess.http.server import Server
from tests.support.db_traps import legal
from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.service_site import service_for
from trapcore.errors import LibraryError
from trapline.service import jobs as all_jobs
from trapline.service.jobs import JOBS, Job, run_job
from trapline.service.scheduler import serve
from trapline.service.service import Service
from trapline.service.state.clock import Clock, StopFlag
from trapline.service.state.job_log import KILLED, JobLog, Outcome
from trapline.service.state.locks import ProcessLocks

ROOT = Path(__file__).parents[3]
HOUR = 3600.0


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def test_a_library_is_not_replaced_while_a_service_works_for_it(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path) as service:
        back_up(service.library, tmp_path / "copy.sqlite")
        with pytest.raises(LibraryError, match="is in use"):
            restore(tmp_path / "copy.sqlite", Path(service.library.name), replace=True)


# One at a time --------------------------------------------------------------------------------------------------------

CHILD = """
import os, sys, time
from contextlib import closing
from db.library.open import open_library
from trapline.service import jobs
from trapline.service.jobs import Job, run_job
from trapline.service.state.locks import ProcessLocks
from trapline.service.service import Service
from trapline.settings import Settings

path, diary, seconds, times = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])

def note(what):
    handle = os.open(diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{what} {os.getpid()}\\n".encode())
    os.close(handle)

def work(service, halt, outcome):
    note("begin")
    halt.wait(seconds)
    note("end")

jobs.JOBS["users"] = Job("users", "tested", work, lambda mine: 1.0)
library = open_library(path, busy_seconds=30)
locks = ProcessLocks(library.database, beat_seconds=0.2, silent_seconds=3.0)
with closing(Service(Settings(), library, locks=locks)) as service:
    done = 0
    while done < times:
        ran = run_job(service, "users")
        done += ran is not None
        time.sleep(0.01)
"""


def child(tmp_path: Path, seconds: float, times: int) -> "subprocess.Popen[str]":
    arguments = [str(tmp_path / "library.sqlite"), str(tmp_path / "diary"), str(seconds), str(times)]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", CHILD, *arguments], env=env, stderr=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]", seconds: float = 60.0) -> None:
    try:
        _, error = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, error


@pytest.mark.fault
def test_two_processes_never_run_the_same_job(tmp_path: Path) -> None:
    open_library(tmp_path / "library.sqlite", create=True).close()
    processes = [child(tmp_path, 0.05, 8) for _ in range(3)]
    for process in processes:
        ended(process)
    lines = [line.split() for line in (tmp_path / "diary").read_text().splitlines()]
    assert len(lines) == 48
    for (begin, who), (end, same) in zip(lines[::2], lines[1::2], strict=True):
        assert (begin, end, who) == ("begin", "end", same)
    assert len({who for _, who in lines}) == 3


@pytest.mark.fault
def test_the_lock_of_a_killed_process_is_taken_over_and_its_run_is_logged_as_killed(tmp_path: Path) -> None:
    open_library(tmp_path / "library.sqlite", create=True).close()
    first = child(tmp_path, 1000.0, 1)
    diary = tmp_path / "diary"
    until(diary.exists)
    second = child(tmp_path, 0.0, 1)
    time.sleep(4.0)
    # Longer than it takes to see that nobody lives; but somebody does.
    assert len(diary.read_text().splitlines()) == 1
    first.send_signal(signal.SIGKILL)
    first.communicate()
    ended(second)
    assert [line.split()[0] for line in diary.read_text().splitlines()] == ["begin", "begin", "end"]
    with open_library(tmp_path / "library.sqlite") as library:
        runs = JobLog(library.database, Clock()).log("users")
        assert [(run.error, run.ended is None) for run in runs] == [(None, False), (KILLED, True)]
        assert ProcessLocks(library.database).holders() == {}


def test_a_process_that_looked_long_ago_takes_no_lock(tmp_path: Path) -> None:
    """The database was busy for long: neither could the holder beat nor the other one look."""
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        with library.database.write() as connection:
            connection.execute(text("INSERT INTO leases VALUES ('x', 'a slow one', 7, '2026-11-22T00:00:00Z')"))
        locks = ProcessLocks(library.database, beat_seconds=0.1, silent_seconds=0.5)
        for _ in range(3):
            time.sleep(0.6)
            with locks.hold("x") as mine:
                assert not mine
        with locks.hold("x", wait=time.sleep) as mine:
            assert mine


# Errors ---------------------------------------------------------------------------------------------------------------


def test_a_job_that_fails_is_logged_and_runs_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
        outcome.counts["games"] = 7
        raise ZeroDivisionError("a bug")

    with service_for(server, tmp_path, users=("alice",)) as service:
        monkeypatch.setitem(all_jobs.JOBS, "users", Job("users", "tested", fail, JOBS["users"].seconds))
        error = "ZeroDivisionError: a bug"
        for _ in range(2):
            ran = run_job(service, "users")
            assert ran is not None
            assert ran.error == error
        assert [(run.counts, run.error) for run in service.job_log.log("users")] == [({"games": 7}, error)] * 2
        assert "Traceback" in caplog.text


def test_the_service_stops_while_it_works(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    began = threading.Event()

    def work(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
        began.set()
        while True:
            stop_flag.check()
            time.sleep(0.01)

    with service_for(server, tmp_path, users=("alice",)) as service:
        service.clock = Clock()
        service.library.add(legal())
        monkeypatch.setitem(all_jobs.JOBS, "users", Job("users", "tested", work, JOBS["users"].seconds))
        stop_flag = StopFlag(service.clock)
        thread = threading.Thread(target=serve, args=(service, stop_flag), daemon=True)
        thread.start()
        assert began.wait(PATIENCE_SECONDS)
        stop_flag.set()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
        (run,) = service.job_log.log("users")
        assert run.error is not None
        assert "told to stop" in run.error
        assert run.ended is not None
    assert any("users: nothing to do; it was told to stop" in message for message in caplog.messages)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_the_holder_of_a_lock_that_was_taken_over_is_notified(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        lost = threading.Event()
        with ProcessLocks(library.database, beat_seconds=0.05).hold("x", lost=lost.set) as mine:
            assert mine
            with library.database.write() as connection:
                connection.execute(text("UPDATE leases SET holder = 'somebody else'"))
            assert lost.wait(PATIENCE_SECONDS)
        # And it does not end what is not its own.
        assert "x" in ProcessLocks(library.database).holders()
