"""Whether what `trapline annotate` says of ordinary games is true: Stockfish is asked about each claim.

    python -m tests.experiments.claims

Claimed is that a move loses by force, by mate or by material. Claims about positions of the bundled library were proved
when they entered it and are left out; of the others each is asked about once, however often it is told. Stockfish
agrees if with 400,000 nodes before and after the move it sees a loss of .3 of win chance or more, the rule of the trap
test.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import chess

from db.engine import UciEngine
from tests.benchmarks.material import DATA
from tests.stockfish import STOCKFISH
from trapcore.baits import LOSS
from trapcore.chess_tree import parse_position

FILES = ("amateur_chesscom_cancer0707.pgn", "amateur_lichess_2021_10_kdave.pgn", "lichess_broadcast_club_luna.pgn")
NODES = 400_000


def main() -> None:
    """Annotate, ask, and print a table; what Stockfish denies is listed below it."""
    if STOCKFISH is None:
        sys.exit("Stockfish is not installed")
    made: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    denied = []
    with UciEngine(STOCKFISH) as engine:
        for claim in _claims():
            proof = claim["proof"]
            played = "played" if claim["event"] in ("fell", "sprung", "missed") else "not played"
            kind = f"{'mate' if proof['mate_in'] is not None else 'material'}, {played}"
            loss = _loss(engine, claim["fen"], claim["bait"])
            made[kind] += 1
            agreed[kind] += loss >= LOSS
            if loss < LOSS:
                denied.append(f"{claim['fen']} {claim['bait_san']} {' '.join(claim['killer_line_san'])}: {loss:.2f}")
        name = engine.name
    print(f"Claims about {', '.join(FILES)}; {name} at {NODES:,} nodes agrees:\n")
    for kind in sorted(made):
        print(f"{kind:22} {agreed[kind]:4} of {made[kind]:4}  {agreed[kind] / made[kind]:.1%}")
    print("\nDenied, with the loss that it sees:\n")
    print("\n".join(denied))


def _claims() -> list[dict[str, Any]]:
    """Each move that is said to lose, once; the event that tells most of it first."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.jsonl"
        command = [sys.executable, "-m", "trapline", "annotate", *(str(DATA / "pgn" / file) for file in FILES)]
        subprocess.run([*command, "--out", str(Path(name) / "out.pgn"), "--report", str(report)], check=True)
        claims = [json.loads(line) for line in report.read_text().splitlines()]
    order = ("fell", "sprung", "missed", "avoided", "set")
    claims.sort(key=lambda claim: order.index(claim["event"]))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for claim in claims:
        if not claim["known"] and claim["proof"]["verdict"] == "proved":
            found.setdefault((claim["fen"], claim["bait"]), claim)
    return list(found.values())


def _loss(engine: UciEngine, fen: str, bait: str) -> float:
    """Win chance, -1 to 1, that the move gives away."""
    before = parse_position(fen)
    after = before.copy(stack=False)
    after.push(chess.Move.from_uci(bait))
    return engine.evaluate(before, NODES).chance + engine.evaluate(after, NODES).chance


if __name__ == "__main__":
    main()
