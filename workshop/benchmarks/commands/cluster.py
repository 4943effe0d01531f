"""Two workers of a cluster against one, on work that takes far longer than sending it. This needs two quiet cores."""

import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import LocalCluster

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from annotator.worker import Workers, analyzed
from db.library.open import open_library
from db.proof.engine_choice import OFF
from trapcore.parallel.dask_cluster import cluster
from trapcore.parallel.pools import Pool
from workshop.benchmarks.material import master_games, proved_puzzles
from workshop.benchmarks.table import Row

TRAPS = 5_000
GAMES = 200
BATCH_BYTES = 8 * 1024
"""Some ten games, so that there are shards enough for the last ones not to count."""
WANTED = 1.7


def rows() -> list[Row]:
    """Two workers over one."""
    analyzer = _analyzer()
    games = b"\n\n".join(master_games(GAMES)) + b"\n"
    seconds, found = {}, {}
    for workers in (1, 2):
        with _running(workers) as pool:
            # What is sent once is sent before the clock runs.
            _timed(pool, analyzer, master_games(1)[0])
            seconds[workers], found[workers] = _timed(pool, analyzer, games)
    assert found[1] == found[2], "two workers found something else"
    sent = len(pickle.dumps(analyzer)) / 2**20
    what = f"{GAMES} master games, {TRAPS:,} traps ({sent:.1f} MiB, sent once): two workers over one, wall clock"
    return [Row(what, f"{seconds[2]:.1f} s", f"{seconds[1]:.1f} s", seconds[1] / seconds[2], WANTED)]


def _analyzer() -> BatchAnalyzer:
    request = AnalysisRequest.from_settings(AnalysisSettings(tell=Tell.SIMILAR, engine=OFF))
    with (
        tempfile.TemporaryDirectory(prefix="trapline-cluster-") as folder,
        open_library(Path(folder) / "library.sqlite", create=True) as library,
    ):
        library.add_all(proved_puzzles(TRAPS))
        return BatchAnalyzer(request, KnownTraps.of(library, request.measure))


@contextmanager
def _running(workers: int) -> Iterator[Pool]:
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as local,
        cluster(local.scheduler_address) as pool,
    ):
        yield pool


def _timed(pool: Pool, analyzer: BatchAnalyzer, games: bytes) -> tuple[float, list[bytes]]:
    """Seconds, and what was found."""
    began = time.monotonic()
    found = [
        pickle.dumps(one.found) for _, one in analyzed([games], Workers(analyzer, pool), batch_bytes=BATCH_BYTES) if one
    ]
    return time.monotonic() - began, found
