"""Annotation by abstract trees: twenty thousand traps, proofs included, against Stockfish at depth 12."""

import tempfile
import time
from pathlib import Path

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.settings import AnalysisSettings, Tell
from db.library.open import open_library
from db.proof.engine_choice import OFF
from db.similarity.annotator_index import open_screen
from trapcore import _native
from workshop.benchmarks.commands.annotate import stockfish_rate
from workshop.benchmarks.material import master_games, proved_puzzles
from workshop.benchmarks.table import Row

TRAPS = 20_000
GAMES = 1000
"""Of the 9,996 of the slice; more of them take as long each."""


def rows() -> list[Row]:
    """Building the index, and the rate of annotation by one thread, proofs included."""
    request = AnalysisRequest.from_settings(AnalysisSettings(tell=Tell.SIMILAR, engine=OFF))
    with (
        tempfile.TemporaryDirectory() as folder,
        open_library(Path(folder) / "library.sqlite", create=True) as library,
    ):
        # What the traps lead to is proved again in the games.
        library.add_all(proved_puzzles(TRAPS))
        traps = library.traps()
        start = time.process_time()
        screen = open_screen(library, lambda _: None)
        built = len(traps) / (time.process_time() - start)
        judge = request.analyzer(KnownTraps(traps, screen))
        start = time.process_time()
        positions = sum(judge.judge(batch).positions for batch in _batches())
        rate = positions / (time.process_time() - start)
    out = [
        Row("index of killers, traps/s", f"{built:,.0f}", "20,000 wanted", built / 20_000, 1),
        Row("with proofs, positions/s", f"{rate:,.0f}", "1,500 wanted", rate / 1500, 1),
    ]
    engine = stockfish_rate(12, 3)
    if engine is None:
        return [*out, Row("against Stockfish", "", "not installed")]
    return [*out, Row("the same", f"{rate:,.0f}", f"Stockfish depth 12 {engine:,.1f}", rate / engine, 40)]


def _batches() -> list[_native.Batch]:
    splitter = _native.PgnSplitter()
    return [*splitter.feed(b"\n\n".join(master_games(GAMES)) + b"\n"), *splitter.finish()]
