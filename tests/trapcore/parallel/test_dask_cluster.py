"""Work on a Dask cluster: the same results as in one process, whatever becomes of workers, and clear refusals."""

import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from distributed import Client, LocalCluster

import db.mining.mine
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.settings import Tell
from db.games.index_games import index_files
from db.library.open import open_library
from db.mining.mine import MiningOptions, mine
from tests.support.polling import until
from tests.support.trap_games import AVOIDED, ELEPHANT_FELL, FELL, QUIET, RESEMBLES, game, make_library
from trapcore import _native
from trapcore.errors import ClusterError, UsageError
from trapcore.parallel import dask_cluster as cluster
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.dask_cluster import Cluster
from trapcore.parallel.pools import Pool, in_order
from trapline.commands.annotate import annotate
from trapline.commands.resources import pool_for

pytestmark = pytest.mark.slow

GAMES = Path(__file__).parents[3] / "examples" / "games.pgn"
ONE_PROCESS: None = None


def started(workers: int) -> LocalCluster:
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCluster]:
    """Two processes with one thread each; one that is killed is replaced."""
    with started(2) as running:
        yield running


@pytest.fixture
def pool(local: LocalCluster) -> Iterator[Cluster]:
    local._correct_state()
    with cluster.cluster(local.scheduler_address) as connected:
        yield connected


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)


def pids(local: LocalCluster) -> list[int]:
    return [nanny.pid for nanny in local.workers.values()]


def content(path: Path) -> list[str]:
    """Everything in a library but what is drawn by lot, and the second in which a trap was stored."""
    with closing(sqlite3.connect(path)) as connection:
        lines = [re.sub(r"'\d{4}-\d\d-\d\dT[\d:]+Z'", "'now'", line) for line in connection.iterdump()]
    return [line for line in lines if "'cursor_secret'" not in line and "'traps_state'" not in line]


def indexed(path: Path, pool: Pool | None, progress: Callable[[Any], None] | None = None) -> list[str]:
    with open_library(path, create=True) as library:
        done = index_files(library, [GAMES], pool=pool, batch_bytes=2000, progress=progress)
        assert (done.games, done.failures) == (66, [])
    return content(path)


def mined(path: Path, pool: Pool | None, progress: Callable[[Any], None] | None = None) -> list[str]:
    """Ten moves or so are looked at, and some of them are traps."""
    games = path.with_name("games.pgn")
    games.write_text("".join(game(moves, Round=str(n)) + "\n" for n in range(3) for moves in (FELL, ELEPHANT_FELL)))
    with open_library(path, create=True) as library:
        index_files(library, [games])
        found = mine(library, MiningOptions(min_games=3, nodes=20_000), pool=pool, progress=progress)
        assert len(found.traps) >= 2
        assert found.done == found.candidates
    return content(path)


def until_stopped(item: int, stop: Cancellation) -> int:
    while not stop.is_cancelled:
        time.sleep(0.01)
    return item


def test_games_are_indexed_as_in_one_process(tmp_path: Path, pool: Cluster) -> None:
    assert pool.width == 2
    assert indexed(tmp_path / "a.sqlite", pool) == indexed(tmp_path / "b.sqlite", ONE_PROCESS)


@pytest.mark.parametrize("measure", ["abstracted", "sequences"])
def test_games_are_annotated_as_in_one_process(tmp_path: Path, local: LocalCluster, measure: str) -> None:
    library, source, few = make_library(tmp_path / "traps.sqlite"), tmp_path / "games.pgn", tmp_path / "few.pgn"
    few.write_text("".join(re.split(r"(?m)^(?=\[Event )", GAMES.read_text("utf-8"))[:7]), "utf-8")
    source.write_text("".join(game(moves) + "\n" for moves in (FELL, QUIET, AVOIDED, RESEMBLES, ELEPHANT_FELL)))
    given = {"db": str(library), "measure": measure, "quiet": True}
    made = []
    for name, address in (("one", None), ("many", local.scheduler_address)):
        out, report = tmp_path / f"{name}.pgn", tmp_path / f"{name}.jsonl"
        annotate([str(few), str(source)], output=str(out), report=str(report), cluster=address, **given)  # type: ignore[arg-type]
        made.append((out.read_bytes(), report.read_bytes()))
    assert made[0] == made[1]
    assert b"Sets " in made[0][0]


def test_with_all_workers_killed_others_take_their_place(
    tmp_path: Path, local: LocalCluster, pool: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.mining.mine, "_AT_A_TIME", 2)
    victims: list[int] = []

    def kill(now: Any) -> None:
        if now.done and not victims:
            victims.extend(pids(local))
            for victim in victims:
                os.kill(victim, signal.SIGKILL)

    assert mined(tmp_path / "a.sqlite", pool, kill) == mined(tmp_path / "b.sqlite", ONE_PROCESS)
    assert len(victims) == 2
    assert not set(victims) & set(pids(local))


def still_at_work(address: str) -> int:
    with Client(address, set_as_default=False) as client:
        counts: list[int] = list(client.run(lambda dask_worker: dask_worker.state.executing_count).values())
        return sum(counts)


def test_an_interrupt_ends_what_is_under_way(local: LocalCluster) -> None:
    interrupt = Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    with suppress(KeyboardInterrupt), cluster.cluster(local.scheduler_address) as pool:
        with closing(in_order(pool, until_stopped, range(9), ahead=2, stop=Cancellation())) as results:
            interrupt.start()
            next(results)
        pytest.fail("nobody stopped it")
    until(lambda: not still_at_work(local.scheduler_address))


def test_other_versions_are_refused(local: LocalCluster, pool: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    late = cluster._Posted(until_stopped, {**cluster.versions(), "prover": "mate-0"})
    with pytest.raises(ClusterError, match=r"prover mate-0, not "):
        late(pickle.dumps(1))
    monkeypatch.setattr(cluster, "versions", lambda: {"trapline": "99.0"})
    with pytest.raises(ClusterError, match=r"worker at tcp://127.0.0.1:\d+ has another trapline.*99\.0"):
        pool.check()


def test_a_cluster_that_is_none_is_refused(impatient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="tcp://HOST:PORT"), cluster.cluster("localhost:8786"):
        pass
    none = r"no Dask scheduler answers at tcp://127.0.0.1:1"
    with pytest.raises(ClusterError, match=none) as caught, cluster.cluster("tcp://127.0.0.1:1"):
        pass
    assert caught.value.exit_code == 7
    with pytest.raises(UsageError, match="one of the two"), pool_for(2, "tcp://127.0.0.1:1"):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'trapline\[cluster\]'"), cluster.cluster("tcp://127.0.0.1:1"):
        pass


def test_a_cluster_that_loses_its_workers_for_good_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 2.0)
    with started(0) as fleeting:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", fleeting.scheduler_address, "--no-nanny"]
        worker = subprocess.Popen([*command, "--nthreads", "1", "--no-dashboard"], stderr=subprocess.DEVNULL)
        try:
            with cluster.cluster(fleeting.scheduler_address) as pool:
                results = in_order(pool, until_stopped, range(3), ahead=1, stop=Cancellation())
                Timer(0.5, worker.kill).start()
                with pytest.raises(ClusterError, match="has had no worker for"), closing(results):
                    next(results)
        finally:
            worker.kill()
            worker.wait()


def test_what_travels_arrives_as_it_was(tmp_path: Path) -> None:
    data = GAMES.read_bytes()
    splitter = _native.PgnSplitter(20_000)
    batches = [*splitter.feed(data), *splitter.finish()]
    with open_library(make_library(tmp_path / "traps.sqlite")) as library:
        known = KnownTraps.of(library, "abstracted")
    request = AnalysisRequest(tell=Tell.SIMILAR, measure="abstracted", min_similarity=0.5, nodes=10_000)
    judge = BatchAnalyzer(request, known)
    again, findings = pickle.loads(pickle.dumps(judge)), 0
    for batch in batches:
        copy = pickle.loads(pickle.dumps(batch))
        assert (copy.data(), copy.first_game, copy.offset) == (batch.data(), batch.first_game, batch.offset)
        assert fields(_native.read_records(copy)) == fields(_native.read_records(batch))
        assert fields(pickle.loads(pickle.dumps(_native.read_records(batch)))) == fields(_native.read_records(batch))
        found = judge(batch, Cancellation())
        findings += len(found.found)
        assert fields(pickle.loads(pickle.dumps(found))) == fields(found)
        assert fields(again(copy, Cancellation())) == fields(found)
    assert findings > 0
    with pytest.raises(ValueError, match="within the batch"):
        _native.Batch(1, 0, b"1. e4", [7], [], [])


def fields(value: Any) -> Any:
    """A value of the core as plain values of Python."""
    if isinstance(value, list):
        return [fields(one) for one in value]
    if type(value).__module__ != "trapcore._native":
        return value
    return {name: fields(getattr(value, name)) for name in dir(value) if not name.startswith("_")}
