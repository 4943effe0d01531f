"""Jobs: alone in the world, in their intervals, logged, stoppable; and three days of polling in a minute."""

import datetime as real_datetime
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apscheduler.executors.debug import DebugExecutor
from sqlalchemy import text

import service.scheduling as scheduling
from db.library.open import open_library
from service import jobs as all_jobs
from service.clock import Halt, RealTimes
from service.job_log import KILLED, Outcome, Runs
from service.jobs import JOBS, Job, run_job
from service.locks import Leases
from service.scheduling import Scheduler, agree, mend, next_run, open_scheduler, serve
from service.service import Service
from tests.fake_lichess.game import Game
from tests.fake_lichess.server import Server
from tests.fake_lichess.site import Site
from tests.support.db_traps import legal
from tests.support.service_site import ServerTimes, addresses, begun, random_moves, service_for

ROOT = Path(__file__).parents[2]
HOUR = 3600.0


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def under_its_clock(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    """APScheduler asks ``datetime`` for the time; let it be the service's."""

    class Datetime(real_datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return real_datetime.datetime.fromtimestamp(service.clock.now(), tz)

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Datetime)
    monkeypatch.setattr(scheduling, "_at_work", service)


def scheduled(monkeypatch: pytest.MonkeyPatch, service: Service) -> Scheduler:
    """A scheduler that runs jobs in this thread, at the service's time."""
    under_its_clock(monkeypatch, service)
    made = open_scheduler(service, DebugExecutor())
    agree(made, service)
    return made


def count_runs(monkeypatch: pytest.MonkeyPatch, *names: str) -> Counter[str]:
    """Let these jobs do nothing but be counted."""
    runs: Counter[str] = Counter()
    for name in names:

        def work(service: Service, halt: Halt, outcome: Outcome, name: str = name) -> None:
            runs[name] += 1

        monkeypatch.setitem(all_jobs.JOBS, name, Job(name, "counts", work, JOBS[name].seconds))
    return runs


# Three days -----------------------------------------------------------------------------------------------------------


class _Players:
    """Two who begin and end games as they like; some games last for days."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.chance = random.Random(5)
        self.open: list[Game] = []
        self.ended: list[str] = []

    def live(self) -> None:
        """A quarter of an hour of theirs."""
        for _ in range(self.chance.choice((0, 0, 1, 2))):
            ident = f"g{len(self.open) + len(self.ended):07d}"
            white, black = self.chance.sample(["Alice", "Bob", "Carol"], 2)
            moves = random_moves(self.chance, self.chance.randint(4, 9))
            self.open.append(begun(self.site, ident, white, black, moves))
            self.site.times.advance(self.chance.randint(1, 200))
        # Every tenth game is one that nobody is in a hurry with.
        for game in list(self.open):
            if self.chance.random() < (0.02 if game.id.endswith("0") else 0.6):
                game.resign(self.chance.random() < 0.5)
                self.open.remove(game)
                self.ended.append(game.id)


def test_three_days_of_polling_miss_no_game_and_take_none_twice(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = server.do(_Players)
    rates = {"cut": 0.02, "end": 0.02, "half": 0.02, "429": 0.03, "429-retry": 0.03, "500": 0.05, "502": 0.03}
    server.do(lambda site: [site.join(name, in_process=True) for name in ("Alice", "Bob", "Carol")])
    server.do(lambda _: server.faults.at_random(rates, seed=3))
    with service_for(server, tmp_path, users=("alice", "bob"), poll_minutes=60, backup_hours=0, mine_hours=0,
                     verify_hours=0, vacuum_hours=0) as service:  # fmt: skip
        scheduler = scheduled(monkeypatch, service)
        began = service.clock.now()
        while service.clock.now() < began + 72 * HOUR:
            server.do(lambda _: players.live())
            scheduler.look()
            server.advance(900)
        server.do(lambda _: server.faults.clear())
        server.advance(HOUR)
        scheduler.look()
        expected = sorted(
            game
            for game in players.ended
            if {side.account.id for side in server.site.games[game].sides.values()} & {"alice", "bob"}
        )
        found = addresses(service)
        assert len(expected) > 150
        assert found == expected
        log = service.job_log.log("users", 1000)
        # Each hour once; the waiting for lichess takes time as well.
        assert 60 <= len(log) <= 74
        assert [run for run in log if run.error is not None or run.ended is None] == []
        assert sum(run.counts.get("new", 0) for run in log) == len(expected)
        happened = server.faults.happened
        assert min(happened[kind] for kind in rates) > 0
        # Nothing was asked for that was not needed: four questions for each user and hour, and what broke again.
        assert server.do(lambda site: site.record.requests.total()) < 4 * 2 * len(log) * 1.4
        scheduler.shutdown()


# When they run --------------------------------------------------------------------------------------------------------


def test_what_was_missed_runs_once_and_then_in_its_interval(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = count_runs(monkeypatch, "folders")
    with service_for(server, tmp_path, folders=(tmp_path,), poll_minutes=60) as service:
        scheduler = scheduled(monkeypatch, service)
        scheduler.look()
        assert runs["folders"] == 1
        scheduler.look()
        assert runs["folders"] == 1
        scheduler.shutdown()
        # The machine is off for two days.
        server.advance(48.5 * HOUR)
        scheduler = scheduled(monkeypatch, service)
        scheduler.look()
        assert runs["folders"] == 2
        server.advance(0.4 * HOUR)
        scheduler.look()
        assert runs["folders"] == 2
        server.advance(0.2 * HOUR)
        scheduler.look()
        assert runs["folders"] == 3
        scheduler.shutdown()


def test_a_clock_that_is_put_back_stops_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = count_runs(monkeypatch, "folders")
    with service_for(server, tmp_path, folders=(tmp_path,), poll_minutes=60) as service:
        scheduler = scheduled(monkeypatch, service)
        scheduler.look()
        assert isinstance(service.clock, ServerTimes)
        service.clock.astray = -90 * 86400.0
        mend(scheduler, service)
        scheduler.look()
        assert runs["folders"] == 2
        server.advance(1.01 * HOUR)
        mend(scheduler, service)
        scheduler.look()
        assert runs["folders"] == 3
        scheduler.shutdown()


def test_the_schedule_follows_the_settings(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service_for(server, tmp_path, users=("alice",), backup_hours=0) as service:
        scheduler = scheduled(monkeypatch, service)
        assert {one.id for one in scheduler.get_jobs()} == {"users", "mine", "verify", "vacuum"}
        scheduler.pause_job("users")
        scheduler.shutdown()
    with service_for(server, tmp_path, users=("alice",), mine_hours=0, poll_minutes=30) as service:
        scheduler = scheduled(monkeypatch, service)
        assert {one.id for one in scheduler.get_jobs()} == {"users", "verify", "backup", "vacuum"}
        users = scheduler.get_job("users")
        # Paused stays paused, in its new interval.
        assert (next_run(users), users.trigger.interval.total_seconds()) == (None, 1800)
        scheduler.shutdown()


class _Evil:
    def __reduce__(self) -> Any:
        return os.mkdir, ("here-was-evil",)


@pytest.mark.parametrize("state", ["a call", "another function"])
def test_a_library_of_a_stranger_runs_nothing_of_his(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with service_for(server, tmp_path, users=("alice",)) as service:
        scheduler = scheduled(monkeypatch, service)
        if state == "a call":
            data = pickle.dumps(_Evil())
        else:
            job = scheduler.get_job("users").__getstate__()
            data = pickle.dumps({**job, "func": "os:mkdir", "args": ("here-was-evil",)})
        with service.library.database.write() as connection:
            connection.execute(text("UPDATE apscheduler_jobs SET job_state = :data, next_run_time = 1"), {"data": data})
        scheduler.look()
        assert not (tmp_path / "here-was-evil").exists()
        assert scheduler.get_jobs() == []
        scheduler.shutdown()


# One at a time --------------------------------------------------------------------------------------------------------

CHILD = """
import os, sys, time
from db.library.open import open_library
from service import jobs
from service.jobs import Job, run_job
from service.locks import Leases
from service.service import Service
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
with Service(Settings(), library, leases=Leases(library.database, beat_seconds=0.2, silent_seconds=3.0)) as service:
    done = 0
    while done < times:
        ran = run_job(service, "users", patient=False)
        done += ran is not None
        time.sleep(0.01)
"""


def child(tmp_path: Path, seconds: float, times: int) -> "subprocess.Popen[str]":
    arguments = [str(tmp_path / "library.sqlite"), str(tmp_path / "diary"), str(seconds), str(times)]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", CHILD, *arguments], env=env, stderr=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]", seconds: float = 60.0) -> None:
    try:
        _, said = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, said


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


def test_what_a_killed_process_held_is_taken_over_and_its_run_is_said_to_be_killed(tmp_path: Path) -> None:
    open_library(tmp_path / "library.sqlite", create=True).close()
    first = child(tmp_path, 1000.0, 1)
    diary = tmp_path / "diary"
    end = time.monotonic() + 30
    while not diary.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    second = child(tmp_path, 0.0, 1)
    time.sleep(4.0)
    # Longer than it takes to see that nobody lives; but somebody does.
    assert len(diary.read_text().splitlines()) == 1
    first.send_signal(signal.SIGKILL)
    first.communicate()
    ended(second)
    assert [line.split()[0] for line in diary.read_text().splitlines()] == ["begin", "begin", "end"]
    with open_library(tmp_path / "library.sqlite") as library:
        runs = Runs(library.database, RealTimes()).log("users")
        assert [(run.error, run.ended is None) for run in runs] == [(None, False), (KILLED, True)]
        assert Leases(library.database).holders() == {}


def test_nobody_who_looked_long_ago_takes_a_lease(tmp_path: Path) -> None:
    """The database was busy for long: neither could the holder beat nor the other one look."""
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        with library.database.write() as connection:
            connection.execute(text("INSERT INTO leases VALUES ('x', 'a slow one', 7, '2026-11-22T00:00:00Z')"))
        leases = Leases(library.database, beat_seconds=0.1, silent_seconds=0.5)
        for _ in range(3):
            time.sleep(0.6)
            with leases.hold("x") as mine:
                assert not mine
        with leases.hold("x", wait=time.sleep) as mine:
            assert mine


def test_a_lease_that_was_taken_away_tells_its_holder(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        lost = threading.Event()
        with Leases(library.database, beat_seconds=0.05).hold("x", lost=lost.set) as mine:
            assert mine
            with library.database.write() as connection:
                connection.execute(text("UPDATE leases SET holder = 'somebody else'"))
            assert lost.wait(10)
        # And it does not end what is not its own.
        assert "x" in Leases(library.database).holders()


# Errors ---------------------------------------------------------------------------------------------------------------


def test_a_job_that_fails_is_logged_and_runs_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(service: Service, halt: Halt, outcome: Outcome) -> None:
        outcome.counts["games"] = 7
        raise ZeroDivisionError("a bug")

    with service_for(server, tmp_path, users=("alice",)) as service:
        monkeypatch.setitem(all_jobs.JOBS, "users", Job("users", "tested", fail, JOBS["users"].seconds))
        said = "ZeroDivisionError: a bug"
        for _ in range(2):
            ran = run_job(service, "users")
            assert ran is not None
            assert ran.error == said
        assert [(run.counts, run.error) for run in service.job_log.log("users")] == [({"games": 7}, said)] * 2
        assert "Traceback" in caplog.text


def test_the_service_stops_while_it_works(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began = threading.Event()

    def work(service: Service, halt: Halt, outcome: Outcome) -> None:
        began.set()
        while True:
            halt.check()
            time.sleep(0.01)

    with service_for(server, tmp_path, users=("alice",)) as service:
        service.clock = RealTimes()
        service.library.add(legal())
        monkeypatch.setitem(all_jobs.JOBS, "users", Job("users", "tested", work, JOBS["users"].seconds))
        halt = Halt(service.clock)
        thread = threading.Thread(target=serve, args=(service, halt))
        thread.start()
        assert began.wait(20)
        halt.stop()
        thread.join(20)
        assert not thread.is_alive()
        (run,) = service.job_log.log("users")
        assert run.error is not None
        assert "told to stop" in run.error
        assert run.ended is not None
