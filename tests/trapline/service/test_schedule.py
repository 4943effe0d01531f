"""Schedule of the jobs: intervals, missed runs, pauses, earlier versions; and three days of polling in a minute."""

import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from db.library.open import open_library
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.service_site import ServerClock, SteppedScheduler, addresses, begun, random_moves, service_for
from trapline.service import scheduler
from trapline.service.jobs import JOBS, Job
from trapline.service.schedule import Schedule
from trapline.service.scheduler import serve
from trapline.service.service import Service
from trapline.service.state.clock import Clock, StopFlag
from trapline.service.state.job_log import Outcome

ROOT = Path(__file__).parents[3]
HOUR = 3600.0
INTERVAL = 0.4
"""Seconds between two runs of the job of a service at work."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def scheduled(service: Service) -> Schedule:
    """The schedule of the service, in line with its settings."""
    schedule = Schedule(service)
    schedule.update()
    return schedule


def count_runs(monkeypatch: pytest.MonkeyPatch, *names: str) -> Counter[str]:
    """Let these jobs do nothing but be counted."""
    runs: Counter[str] = Counter()
    for name in names:

        def work(service: Service, stop_flag: StopFlag, outcome: Outcome, name: str = name) -> None:
            runs[name] += 1

        monkeypatch.setitem(JOBS, name, Job(name, "counts", work, JOBS[name].seconds))
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
            self.site.clock.advance(self.chance.randint(1, 200))
        # Every tenth game is one that nobody is in a hurry with.
        for game in list(self.open):
            if self.chance.random() < (0.02 if game.id.endswith("0") else 0.6):
                game.resign(self.chance.random() < 0.5)
                self.open.remove(game)
                self.ended.append(game.id)


@pytest.mark.slow
def test_three_days_of_polling_miss_no_game_and_take_none_twice(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = server.do(_Players)
    rates = {"cut": 0.02, "end": 0.02, "half": 0.02, "429": 0.03, "429-retry": 0.03, "500": 0.05, "502": 0.03}
    server.do(lambda site: [site.join(name, in_process=True) for name in ("Alice", "Bob", "Carol")])
    server.do(lambda _: server.faults.at_random(rates, seed=3))
    with service_for(server, tmp_path, users=("alice", "bob"), poll_minutes=60, backup_hours=0, mine_hours=0,
                     verify_hours=0, vacuum_hours=0) as service:  # fmt: skip
        stepped = SteppedScheduler(service)
        began = service.clock.now()
        stepped.start()
        while service.clock.now() < began + 72 * HOUR:
            server.do(lambda _: players.live())
            stepped.wakeup()
            server.advance(900)
        server.do(lambda _: server.faults.clear())
        server.advance(HOUR)
        stepped.wakeup()
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
        stepped.shutdown()


# When they run --------------------------------------------------------------------------------------------------------


def test_what_was_missed_runs_once_and_then_in_its_interval(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = count_runs(monkeypatch, "folders")
    with service_for(server, tmp_path, folders=(tmp_path,), poll_minutes=60) as service:
        stepped = SteppedScheduler(service)
        stepped.start()
        assert runs["folders"] == 1
        stepped.wakeup()
        assert runs["folders"] == 1
        stepped.shutdown()
        # The machine is off for two days.
        server.advance(48.5 * HOUR)
        stepped = SteppedScheduler(service)
        stepped.start()
        assert runs["folders"] == 2
        server.advance(0.4 * HOUR)
        stepped.wakeup()
        assert runs["folders"] == 2
        server.advance(0.2 * HOUR)
        stepped.wakeup()
        assert runs["folders"] == 3
        stepped.shutdown()


def test_a_clock_that_is_put_back_stops_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = count_runs(monkeypatch, "folders")
    with service_for(server, tmp_path, folders=(tmp_path,), poll_minutes=60) as service:
        stepped = SteppedScheduler(service)
        stepped.start()
        assert isinstance(service.clock, ServerClock)
        service.clock.astray = -90 * 86400.0
        stepped.wakeup()
        assert runs["folders"] == 2
        server.advance(1.01 * HOUR)
        stepped.wakeup()
        assert runs["folders"] == 3
        stepped.shutdown()


def test_the_schedule_follows_the_settings(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path, users=("alice",), backup_hours=0) as service:
        schedule = scheduled(service)
        assert schedule.appointments().keys() == {"users", "mine", "verify", "vacuum"}
        assert schedule.set_paused("users", True)
        assert not schedule.set_paused("backup", True)
    with service_for(server, tmp_path, users=("alice",), mine_hours=0, poll_minutes=30) as service:
        schedule = scheduled(service)
        appointments = schedule.appointments()
        assert appointments.keys() == {"users", "verify", "backup", "vacuum"}
        # Paused stays paused, in its new interval.
        assert (appointments["users"].paused, appointments["users"].seconds) == (True, 1800)
        server.advance(24 * HOUR)
        assert "users" not in schedule.take_due()
        assert schedule.set_paused("users", False)
        # Resumed, it waits for its next time.
        assert "users" not in schedule.take_due()
        server.advance(0.51 * HOUR)
        assert schedule.take_due() == ["users"]


def test_a_job_that_is_due_is_given_to_one_service_only(server: Server, tmp_path: Path) -> None:
    with (
        service_for(server, tmp_path, users=("alice",), folders=(tmp_path,)) as one,
        service_for(server, tmp_path, users=("alice",), folders=(tmp_path,)) as other,
    ):
        schedules = [scheduled(one), scheduled(other)]
        taken: list[str] = []
        threads = [threading.Thread(target=lambda s=s: taken.extend(s.take_due())) for s in schedules * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == ["folders", "users"]


# Services at work -----------------------------------------------------------------------------------------------------


@contextmanager
def at_work(server: Server, tmp_path: Path) -> Iterator[Service]:
    """A service that watches a folder by the machine's clock, in a thread of its own; stopped at the end."""
    with service_for(server, tmp_path, folders=(tmp_path,), backup_hours=0, mine_hours=0, verify_hours=0,
                     vacuum_hours=0) as service:  # fmt: skip
        service.clock = Clock()
        stop_flag = StopFlag(service.clock)
        thread = threading.Thread(target=serve, args=(service, stop_flag), daemon=True)
        thread.start()
        try:
            yield service
        finally:
            stop_flag.set()
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When the folders were read, which is every 0.4 seconds; nothing is read from them."""
    found: list[float] = []

    def work(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
        found.append(time.time())

    monkeypatch.setattr(scheduler, "POLL_SECONDS", 0.05)
    monkeypatch.setitem(JOBS, "folders", Job("folders", "counts", work, lambda mine: INTERVAL))
    return found


def test_a_service_at_work_follows_a_pause_by_another_process(
    server: Server, tmp_path: Path, runs: list[float]
) -> None:
    with at_work(server, tmp_path) as service:
        until(lambda: len(runs) >= 2)
        with closing(Service(service.settings, open_library(tmp_path / "library.sqlite"))) as another:
            other = Schedule(another)
            assert other.set_paused("folders", True)
            time.sleep(INTERVAL)
            count = len(runs)
            time.sleep(3 * INTERVAL)
            assert len(runs) == count
            assert other.set_paused("folders", False)
            until(lambda: len(runs) > count)


def test_a_run_is_left_out_while_the_one_before_goes_on(
    server: Server, tmp_path: Path, runs: list[float], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    may_end = threading.Event()

    def work(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
        runs.append(time.time())
        assert may_end.wait(PATIENCE_SECONDS)

    monkeypatch.setitem(JOBS, "folders", Job("folders", "waits", work, lambda mine: INTERVAL))
    with at_work(server, tmp_path):
        try:
            until(lambda: "maximum number of running instances" in caplog.text)
            assert len(runs) == 1
        finally:
            may_end.set()
        until(lambda: len(runs) == 2)


def test_a_library_that_is_busy_for_a_while_costs_no_run(
    server: Server, tmp_path: Path, runs: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    with at_work(server, tmp_path):
        until(lambda: runs)
        with closing(sqlite3.connect(tmp_path / "library.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            until(lambda: "raised an exception" in caplog.text)
        count = len(runs)
        until(lambda: len(runs) > count)
