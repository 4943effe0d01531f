"""Annotation by abstract trees: twenty thousand traps, proofs included, against Stockfish at depth 12."""

import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.settings import AnalysisSettings, Tell
from db.formats.puzzles import puzzle_trap
from db.library.open import open_library
from db.proof.engine_choice import OFF
from db.similarity.annotator_index import open_screen
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore import _native
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.commands.annotate import stockfish_rate
from workshop.benchmarks.material import master_games, puzzle_rows
from workshop.benchmarks.table import Row

TRAPS = 20_000
GAMES = 1000
"""Of the 9,996 of the slice; more of them take as long each."""


def rows() -> list[Row]:
    """Building the index, and the rate of annotation by one thread with and without proofs."""
    out = []
    request = AnalysisRequest.from_settings(AnalysisSettings(tell=Tell.SIMILAR, engine=OFF))
    with tempfile.TemporaryDirectory() as folder:
        # Taken as proved, because their lines are those of lichess; what they lead to is proved again in the games.
        traps = [_taken(puzzle_trap(row)) for row in islice(puzzle_rows(), TRAPS)]
        with open_library(Path(folder) / "library.sqlite", create=True) as library:
            library.add_all(traps)
            traps = library.traps()
            start = time.process_time()
            screen = open_screen(library, lambda message: None)
            seconds = time.process_time() - start
        wanted = "20,000 wanted"
        out.append(
            Row("index of killers, traps/s", f"{len(traps) / seconds:,.0f}", wanted, len(traps) / seconds / 20_000, 1)
        )
        rates = []
        for nodes in (1, request.nodes):
            judge = replace(request, nodes=nodes).analyzer(KnownTraps(traps, screen))
            start, positions, candidates, spent, findings = time.process_time(), 0, 0, 0, 0
            for batch in _batches():
                found = judge.judge(batch)
                positions += found.positions
                candidates += found.candidates
                spent += found.proof_nodes
                findings += sum(len(game.findings) for game in found.found)
            rates.append(positions / (time.process_time() - start))
        out.append(Row("screening alone, positions/s", f"{rates[0]:,.0f}", ""))
        out.append(Row("with proofs, positions/s", f"{rates[1]:,.0f}", "1,500 wanted", rates[1] / 1500, 1))
        share = f"{candidates / positions:.1%} of positions, {spent / positions:,.0f} nodes each position"
        out.append(Row("put to the proof", share, f"{findings} findings in {GAMES:,} games"))
        engine = stockfish_rate(12, 3)
        if engine is None:
            out.append(Row("against Stockfish", "", "not installed"))
        else:
            out.append(Row("the same", f"{rates[1]:,.0f}", f"Stockfish depth 12 {engine:,.1f}", rates[1] / engine, 40))
    return out


def _taken(trap: Trap) -> Trap:
    mate = (len(trap.killer_line) + 1) // 2 if trap.outcome is Outcome.MATE else None
    return replace(trap, verdict=Verdict.PROVED, mate_in=mate, proof_by="lichess")


def _batches() -> list[_native.Batch]:
    splitter = _native.PgnSplitter()
    return [*splitter.feed(b"\n\n".join(master_games(GAMES)) + b"\n"), *splitter.finish()]
