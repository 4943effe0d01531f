"""The service with its library on a PostgreSQL server: jobs, their schedule, leases, and who makes the backups."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.library.open import open_library
from tests.conftest import NewLibrary
from tests.fake_lichess.http.server import Server
from tests.support.service_site import addresses, finished, random_moves, service_for
from trapline.program import app
from trapline.service.jobs import run_job
from trapline.service.schedule import Schedule
from trapline.service.state.locks import ProcessLocks

pytestmark = pytest.mark.parametrize("new_library", ["postgresql"], indirect=True)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        chance = random.Random(3)
        for number in range(5):
            moves = random_moves(chance, 8)
            running.do(lambda site, n=number, m=moves: finished(site, f"game000{n}", "Alice", "Bob", m))  # type: ignore[misc]
        yield running


def test_jobs_are_scheduled_run_and_logged(
    new_library: NewLibrary, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setenv("TRAPLINE_MEASURE", "sequences")
    monkeypatch.setenv("TRAPLINE_TELL", "similar")
    address = new_library()
    with service_for(server, tmp_path, address=address, users=("alice",)) as service:
        schedule = Schedule(service)
        schedule.update()
        assert schedule.set_paused("mine", True)
        appointments = schedule.appointments()
        assert (appointments["mine"].paused, appointments["users"].paused) == (True, False)
        assert schedule.take_due() == ["users"]
        assert schedule.take_due() == []
        for new in (5, 0):
            ran = run_job(service, "users")
            assert ran is not None
            assert (ran.error, ran.outcome.counts["new"]) == (None, new)
        assert len(addresses(service)) == 5
        assert [run.counts.get("new", 0) for run in service.job_log.log("users")] == [0, 5]
        backup = run_job(service, "backup")
        assert backup is not None
        assert backup.error is not None
        assert "pg_dump" in backup.error
    listed = CliRunner().invoke(app, ["jobs", "list", "--db", address], catch_exceptions=False)
    assert "mine\tpaused" in listed.stdout


def test_one_of_many_holds_the_lock(new_library: NewLibrary, server: Server, tmp_path: Path) -> None:
    address = new_library()
    open_library(address, create=True).close()
    inside = threading.Semaphore(1)
    holders: list[int] = []

    def work(number: int) -> None:
        with open_library(address, busy_seconds=30) as library:
            locks = ProcessLocks(library.database, beat_seconds=0.1, silent_seconds=30.0)
            for _ in range(20):
                with locks.hold("one") as mine:
                    if mine:
                        assert inside.acquire(blocking=False), "two of them hold it"
                        holders.append(number)
                        inside.release()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert holders
