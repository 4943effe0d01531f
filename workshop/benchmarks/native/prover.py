"""The mate prover: what it solves, whether it is ever wrong, and how fast it is."""

import random
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess

from trapcore import _native
from trapcore.engines.process import EngineProcess
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import prove_mate
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.material import DATA, middlegame_fens
from workshop.benchmarks.native.prover_reference import MateSearcher, contradiction, forces_mate, strategy_fails
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.benchmarks.table import Row, cpu_seconds

MILLION = 1_000_000
#: Longest mate of the lichess file; every question about it reaches so far, so that no distance is given away.
LONGEST_PUZZLE = 7
#: Positions that Stockfish thinks about, of each kind.
DISPUTED = 40


def spread(items: list[str], count: int) -> list[str]:
    """At most ``count`` items, evenly spaced; the same in every run."""
    return items[:: max(1, len(items) // count)][:count]


def announced_mates(paths: list[Path], pattern: str) -> dict[int, list[str]]:
    """Positions of EPD files, each once, under the shortest mate that a line says of them."""
    distances: dict[str, int] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            if (found := re.match(rf"(\S+ \S+ \S+ \S+) {pattern} #?(\d+);", line)) is not None:
                distances[found[1]] = min(int(found[2]), distances.get(found[1], 1000))
    out: dict[int, list[str]] = defaultdict(list)
    for fen, mate in distances.items():
        out[mate].append(fen)
    return dict(sorted(out.items()))


@cache
def puzzles() -> dict[int, list[str]]:
    """Mates out of lichess games by length."""
    return announced_mates([DATA / "mates" / "lichess_mate_puzzles.epd"], "dm")


def problems() -> dict[int, list[str]]:
    """Composed mates by length. The file of cursed endings is left out: its mate in 1 means a win, not a mate."""
    files = sorted((DATA / "mates" / "matetrack").glob("*.epd"))
    return announced_mates([path for path in files if path.stem != "cursed"], "bm")


def solving() -> Iterator[Row]:
    """Mates out of games, at the usual budget, with their exact distance."""
    _native.prove_mate(chess.STARTING_FEN, 1, 1, None, None)  # makes the tables
    for mate, fens in puzzles().items():
        solved = nodes = 0
        start = time.process_time()
        for fen in fens:
            _, found, _, spent, _ = _native.prove_mate(fen, LONGEST_PUZZLE, MILLION, None, None)
            solved += found == mate
            nodes += spent
        seconds = time.process_time() - start
        speed = f"{seconds / len(fens) * 1e6:,.0f} us, {nodes / seconds / MILLION:.1f} M nodes/s"
        wanted = 1 if mate <= 3 else 0.99 if mate <= 5 else None
        share = solved / len(fens)
        yield Row(f"mate in {mate} out of games, 1 M nodes", f"{solved:,} of {len(fens):,}, {speed}",
                  "distance of the file", share, wanted)  # fmt: skip


def composed() -> Iterator[Row]:
    """Composed mates in up to six moves."""
    solved: Counter[int] = Counter()
    positions = {mate: fens for mate, fens in problems().items() if mate <= 6}
    start = time.process_time()
    nodes = 0
    for mate, fens in positions.items():
        for fen in fens:
            _, found, _, spent, _ = _native.prove_mate(fen, mate, 10 * MILLION, None, None)
            solved[mate] += found == mate
            nodes += spent
    seconds = time.process_time() - start
    total = sum(map(len, positions.values()))
    each = ", ".join(f"#{mate} {solved[mate]}/{len(fens)}" for mate, fens in positions.items())
    what = "problems to mate in 6, 10 M nodes"
    ours = f"{solved.total()} of {total} ({each}); {seconds:.0f} s, {nodes / seconds / MILLION:.1f} M nodes/s"
    yield Row(what, ours, "distance of the file", solved.total() / total, 0.9)


def replaying() -> Iterator[Row]:
    """Proofs that do not hold when every defence is tried with python-chess."""
    for mate, fens in puzzles().items():
        claimed = false = 0
        for fen in fens:
            proof = prove_mate(fen, mate)
            if proof.verdict is Verdict.PROVED:
                claimed += 1
                false += strategy_fails(chess.Board(fen), proof) is not None
        yield Row(f"mate in {mate}, every defence replayed", f"{false} of {claimed:,} false",
                  "python-chess", 1 - false / max(1, claimed), 1)  # fmt: skip


def disputable() -> list[str]:
    """Strategic positions, positions out of random play, positions of master games, and mates out of games."""
    strategic = (DATA / "epd" / "STS1-STS15_LAN_v3.epd").read_text("utf-8").splitlines()
    odd = (DATA / "perft" / "random.perft").read_text("utf-8").splitlines()
    fens = spread([" ".join(line.split()[:4]) for line in strategic if line], DISPUTED)
    fens += random.Random(1902).sample([line.removeprefix("epd ") for line in odd if line.startswith("epd ")], DISPUTED)
    fens += middlegame_fens(DISPUTED) + spread(puzzles()[3], DISPUTED // 4) + spread(puzzles()[4], DISPUTED // 4)
    return [fen for fen in fens if any(chess.Board(fen).legal_moves)]


def disputing(path: str) -> Row:
    """Verdicts that Stockfish contradicts, each with a million nodes."""
    fens = disputable()
    verdicts: Counter[str] = Counter()
    disputed = []
    with EngineProcess(path) as engine:
        for fen in fens:
            proof = prove_mate(fen, 4, Budget(nodes=MILLION))
            verdicts[proof.verdict] += 1
            disputed.append(contradiction(engine, fen, proof, MILLION))
    contradicted = [text for text in disputed if text is not None]
    for text in contradicted:
        print(text)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    return Row("mate in 4, verdicts contradicted", f"{len(contradicted)} of {len(fens)} ({counted})",
               "Stockfish, 1 M nodes each", 1 - len(contradicted) / len(fens), 1)  # fmt: skip


def against_plain_search(mate: int, count: int) -> Row:
    """The time to find mates, against python-chess without any order."""
    fens = spread(puzzles()[mate], count)
    ours = cpu_seconds(lambda: [_native.prove_mate(fen, mate, MILLION, None, None) for fen in fens], 9) / len(fens)
    start = time.process_time()
    assert all(forces_mate(chess.Board(fen), mate) for fen in fens)
    slow = (time.process_time() - start) / len(fens)
    return Row(f"mate in {mate}, {len(fens)} positions", f"{ours * 1e6:,.0f} us",
               f"plain python-chess {slow * 1e3:,.1f} ms", slow / ours, 100)  # fmt: skip


def against_stockfish(path: str, mate: int, count: int) -> Iterator[Row]:
    """The time to find mates, against Stockfish's own search for mates."""
    fens = spread(puzzles()[mate], count)
    ours = []
    for fen in fens:
        start = time.perf_counter()
        _native.prove_mate(fen, mate, MILLION, None, None)
        ours.append(time.perf_counter() - start)
    with MateSearcher(path) as engine:
        theirs = [engine.seconds(fen, mate, 2 * MILLION) for fen in fens]
    found = sum(solved for _, solved in theirs)
    for name, average in (("mean", statistics.mean), ("median", statistics.median)):
        own, other = average(ours), average([seconds for seconds, _ in theirs])
        yield Row(f"mate in {mate}, {len(fens)} positions, {name}", f"{own * 1e6:,.0f} us",
                  f"Stockfish go mate {other * 1e6:,.0f} us, {found} found", other / own, 1)  # fmt: skip


def refuting() -> Row:
    """Mate in 2 refuted where there is none, in units of the tree of depth 2."""
    fens = [fen for fen in middlegame_fens(300) if _native.prove_mate(fen, 2, MILLION, None, None)[0] == "refuted"]
    refutation = cpu_seconds(lambda: [_native.prove_mate(fen, 2, MILLION, None, None) for fen in fens]) / len(fens)
    expansion = cpu_seconds(lambda: [_native.fingerprint(fen) for fen in fens]) / len(fens)
    return Row(f"mate in 2 refuted, {len(fens)} middlegames", f"{refutation * 1e6:.1f} us",
               f"ten trees of depth 2, {expansion * 1e7:.0f} us", 10 * expansion / refutation, 1)  # fmt: skip


def rows() -> list[Row]:
    """What is solved, what is false, what is contradicted, and the speed."""
    out = [*solving(), *composed(), *replaying()]
    out += [refuting(), against_plain_search(2, 200), against_plain_search(3, 20)]
    if STOCKFISH is None:
        return [*out, Row("contradictions and speed", "", "Stockfish is not installed")]
    against = [row for mate in (2, 3) for row in against_stockfish(STOCKFISH, mate, 200)]
    return [*out, *against, disputing(STOCKFISH)]
