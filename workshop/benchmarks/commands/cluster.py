"""Two workers of a cluster against one, on work that takes far longer than sending it.

By the clock this needs two quiet cores. By processor time, one worker over the busier one of two, it says how evenly
the work was shared and what sharing it cost, on a busy machine as well.
"""

import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

from distributed import Client, LocalCluster

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from annotator.worker import Workers, analyzed
from db.formats.puzzles import puzzle_trap
from db.library.open import open_library
from db.proof.engine_choice import OFF
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore.parallel.dask_cluster import cluster
from trapcore.parallel.pools import Pool, threads
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.material import master_games, puzzle_rows
from workshop.benchmarks.table import Row

TRAPS = 5_000
GAMES = 200
BATCH_BYTES = 8 * 1024
"""Some ten games, so that there are shards enough for the last ones not to count."""
WANTED = 1.7


def rows() -> list[Row]:
    """Two workers over one, and one over a thread of this process, which has nothing to send."""
    analyzer = _analyzer()
    games = b"\n\n".join(master_games(GAMES)) + b"\n"
    with threads(1, "judge") as alone:
        here, expected = _timed(alone, analyzer, games)
    seconds, busiest = {}, {}
    for workers in (1, 2):
        with _running(workers) as (pool, client):
            # What is sent once is sent before the clock runs.
            _timed(pool, analyzer, master_games(1)[0])
            before = client.run(time.process_time)
            seconds[workers], found = _timed(pool, analyzer, games)
            busiest[workers] = max(after - before[name] for name, after in client.run(time.process_time).items())
            assert found == expected, "a cluster found something else"
    sent = len(pickle.dumps(analyzer)) / 2**20
    what = f"{GAMES} master games, {TRAPS:,} traps ({sent:.1f} MiB, sent once)"
    one, two = f"{seconds[1]:.1f} s", f"{seconds[2]:.1f} s"
    return [
        Row(f"{what}: two workers over one, wall clock", two, one, seconds[1] / seconds[2], WANTED),
        Row("the same, processor time of the busier worker", f"{busiest[2]:.1f} s", f"{busiest[1]:.1f} s",
            busiest[1] / busiest[2], WANTED),
        Row("one worker over one thread here, wall clock", one, f"{here:.1f} s", here / seconds[1]),
    ]  # fmt: skip


def _analyzer() -> BatchAnalyzer:
    request = AnalysisRequest.from_settings(AnalysisSettings(tell=Tell.SIMILAR, engine=OFF))
    with (
        tempfile.TemporaryDirectory(prefix="trapline-cluster-") as folder,
        open_library(Path(folder) / "library.sqlite", create=True) as library,
    ):
        library.add_all([_taken(puzzle_trap(row)) for row in islice(puzzle_rows(), TRAPS)])
        return BatchAnalyzer(request, KnownTraps.of(library, request.measure))


def _taken(trap: Trap) -> Trap:
    mate = (len(trap.killer_line) + 1) // 2 if trap.outcome is Outcome.MATE else None
    return replace(trap, verdict=Verdict.PROVED, mate_in=mate, proof_by="lichess")


@contextmanager
def _running(workers: int) -> Iterator[tuple[Pool, Client]]:
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local.scheduler_address, set_as_default=False) as client,
        cluster(local.scheduler_address) as pool,
    ):
        yield pool, client


def _timed(pool: Pool, analyzer: BatchAnalyzer, games: bytes) -> tuple[float, list[bytes]]:
    """Seconds, and what was found."""
    began = time.monotonic()
    found = [
        pickle.dumps(one.found) for _, one in analyzed([games], Workers(analyzer, pool), batch_bytes=BATCH_BYTES) if one
    ]
    return time.monotonic() - began, found
