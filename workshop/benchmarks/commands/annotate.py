"""The main job: a PGN file in, an annotated PGN file out."""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from db.formats.bundled import add_bundled, bundled_prover
from db.library.open import create_library, open_library
from db.traps.trap import make_trap
from trapcore import _native
from trapcore.engines.process import EngineProcess
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.material import DATA, MASTERS, TrapParts, master_games, mate_traps
from workshop.benchmarks.native.reference import Pipeline
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.benchmarks.table import Row

TRAPS = 1000
THRESHOLD = 0.8


#: Runs the command line and then says how much memory the process took at most, in kB. The figure that the system keeps
#: of a child would begin with the size of its parent.
TELLING = """
import atexit
from trapline.__main__ import main
atexit.register(lambda: print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]))
main()
"""


def run(library: Path, source: Path, output: Path, jobs: int) -> tuple[float, float, int]:
    """Processor and wall seconds and peak memory in kB of one annotation by the command line."""
    command = [
        sys.executable,
        "-c",
        TELLING,
        "annotate",
        "--tell",
        "similar",
        "--engine",
        "off",
        str(source),
        "-o",
        str(output),
        "--db",
        str(library),
    ]
    command += ["--jobs", str(jobs), "--measure", "sequences", "--quiet"]
    variables = os.environ | {"TRAPLINE_MIN_SIMILARITY": str(THRESHOLD)}
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    after, wall = os.times(), time.perf_counter() - start
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return cpu, wall, int(done.stdout)


def make_library(path: Path, count: int) -> None:
    """A library of real mates out of games, proved as given (their lines end in mate)."""
    traps = []
    for i, (fen, bait, line, verdict, mate) in enumerate(mate_traps(count)):
        trap = make_trap(name=f"Puzzle {i}", family="puzzle", fen=fen, bait=bait, killer_line=line, source="benchmark")
        traps.append(replace(trap, verdict=Verdict(verdict), mate_in=mate, proof_by="its themes"))
    with open_library(path, create=True) as library:
        library.add_all(traps)


def count_positions(source: Path) -> int:
    """Positions of a file by python-chess: one before each move and the last."""
    with source.open(encoding="latin-1") as file:
        return sum(sum(1 for _ in game.mainline()) + 1 for game in iter(lambda: chess.pgn.read_game(file), None))


def stockfish_rate(depth: int, games: int) -> float | None:
    """Positions per second of one thread at a fixed depth, in game order; None where it is not installed."""
    if STOCKFISH is None:
        return None
    positions = 0
    start = time.perf_counter()
    with EngineProcess(STOCKFISH) as engine:
        for text in master_games(games):
            game = chess.pgn.read_game(io.StringIO(text.decode("latin-1")))
            board = chess.Board()
            for move in game.mainline_moves() if game else []:
                engine.play(board, chess.engine.Limit(depth=depth))
                positions += 1
                board.push(move)
    return positions / (time.perf_counter() - start)


def rows() -> list[Row]:
    """Annotation against the python-chess pipeline and Stockfish; threads; memory; rewriting."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        library, output = Path(folder) / "library.sqlite", Path(folder) / "out.pgn"
        make_library(library, TRAPS)
        positions = count_positions(MASTERS)
        empty = Path(folder) / "empty.pgn"
        empty.write_text("")
        start_up = min(run(library, empty, output, 1)[0] for _ in range(2))
        cpu, wall, _ = sorted(run(library, MASTERS, output, 1) for _ in range(3))[1]
        rate = positions / (cpu - start_up)

        pipeline = Pipeline(mate_traps(TRAPS), THRESHOLD)
        start, seen = time.process_time(), 0
        for text in master_games(25):
            seen += pipeline.annotate(text)[1]
        slow = seen / (time.process_time() - start)
        out.append(
            Row("annotate, 1,000 traps, one thread, positions/s", f"{rate:,.0f}", f"python-chess + numpy {slow:,.0f}",
                rate / slow, 100)
        )  # fmt: skip
        engine = stockfish_rate(12, 3)
        if engine is None:
            out.append(Row("annotate against Stockfish", "", "not installed"))
        else:
            out.append(Row("same", f"{rate:,.0f}", f"Stockfish depth 12 {engine:,.1f}", rate / engine, 1000))
        walls = sorted(run(library, MASTERS, output, 2)[1] for _ in range(3))
        out.append(Row("two threads over one, wall", f"{walls[1]:.2f} s", f"{wall:.2f} s", wall / walls[1], 1.7))
        big = DATA / "pgn" / "masters_pgnmentor_open.pgn.zst"
        _, seconds, peak = run(library, big, Path(folder) / "big.pgn.zst", 2)
        megabytes = peak / 1024
        ours = f"{megabytes:.0f} MB in {seconds:.0f} s"
        out.append(Row("148 MB of games (.zst), peak memory", ours, "300 MB allowed", 300 / megabytes, 1))
        out += rewriting(Path(folder), library=Path(folder) / "none.sqlite")
        out += ordering(Path(folder) / "bundled.sqlite")
    return out


#: 2,732 games of amateurs and of classics, in which opening traps occur.
TRAPPY = ("amateur_chesscom_cancer0707.pgn", "amateur_lichess_2021_10_kdave.pgn", "annotated_classics_scoutfish.pgn")


def ordering(path: Path) -> list[Row]:
    """Proof nodes with the killers of the matched traps tried first, against the prover's own order.

    The same games are judged twice, because what an order saves can only be known by trying the other one.
    """
    create_library(path, lambda made: add_bundled(made, bundled_prover(), jobs=os.cpu_count() or 1))
    with open_library(path, read_only=True) as library:
        traps = [(t.epd, t.bait, t.killer_line, str(t.verdict), t.mate_in or 0) for t in library.traps()]
    kinds = {"mates": [trap for trap in traps if trap[4]], "gains": [trap for trap in traps if not trap[4]]}
    out = []
    for kind, chosen in kinds.items():
        for similarity in (THRESHOLD, 0.6):
            (ours, found), (default, found_so) = (proof_nodes(chosen, similarity, first) for first in (True, False))
            out.append(
                Row(
                    f"proof nodes, {kind}, similarity {similarity:.1f}, proposals first",
                    f"{ours:,} for {found} findings",
                    f"default order {default:,} for {found_so}",
                    default / ours,
                )
            )
    return out


def proof_nodes(traps: Sequence[TrapParts], similarity: float, proposals_first: bool) -> tuple[int, int]:
    """Nodes of all proofs and number of findings in the games of `TRAPPY`, with the default budget."""
    judge = _native.GameAnalyzer(
        traps, measure="sequences", min_similarity=similarity, nodes=200_000, unproved=False,
        proposals_first=proposals_first,
    )  # fmt: skip
    nodes = findings = 0
    for name in TRAPPY:
        splitter = _native.PgnSplitter()
        for batch in [*splitter.feed((DATA / "pgn" / name).read_bytes()), *splitter.finish()]:
            found = judge.judge(batch)
            nodes += found.proof_nodes
            findings += sum(len(game.findings) for game in found.found)
    return nodes, findings


COPIES = 5


def rewriting(folder: Path, library: Path) -> list[Row]:
    """Reading, checking and writing a file, no traps in the library, against pgn-extract writing it.

    The file is five copies of the slice, so that the start of the interpreter does not decide.
    """
    extract = shutil.which("pgn-extract") or shutil.which("/usr/games/pgn-extract")
    if extract is None:
        return [Row("rewrite of a PGN", "", "pgn-extract is not installed")]
    with open_library(library, create=True):
        pass
    source = folder / "copies.pgn"
    source.write_bytes(MASTERS.read_bytes() * COPIES)
    own = min(run(library, source, folder / "copy.pgn", 1)[0] for _ in range(3))
    best = float("inf")
    for _ in range(3):
        before = os.times()
        subprocess.run([extract, "-s", f"-o{folder / 'extract.pgn'}", str(source)], check=True, capture_output=True)
        after = os.times()
        best = min(best, after.children_user - before.children_user + after.children_system - before.children_system)
    what = f"rewrite of {COPIES * 10},000 games, processor seconds with start-up"
    return [Row(what, f"{own:.2f}", f"pgn-extract {best:.2f}", best / own, 1)]
