"""Whether what `trapline annotate` says of ordinary games is true: Stockfish is asked about each claim.

    python -m workshop.experiments.claims

Claimed is that a move loses by force, by mate or by material. Claims about positions of the bundled library were proved
when they entered it and are left out; of the others each is asked about once, however often it is claimed. With 400,000
nodes before and after the move Stockfish agrees with a mate if it sees one, with a gain of material if the move gives
away .3 of win chance or more, the rule of the trap test. It also reports whether a move that is mated gave that much
away: a player who stands badly may lose little by it.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import chess

from trapcore.engines.uci_engine import UciEngine
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.material import DATA
from workshop.benchmarks.stockfish import STOCKFISH

FILES = ("amateur_chesscom_cancer0707.pgn", "amateur_lichess_2021_10_kdave.pgn", "lichess_broadcast_club_luna.pgn")
NODES = 400_000


def main() -> None:
    """Annotate, ask, and print a table; what Stockfish denies is listed below it."""
    if STOCKFISH is None:
        sys.exit("Stockfish is not installed")
    made: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    costly: Counter[str] = Counter()
    denied = []
    with UciEngine(STOCKFISH) as engine:
        for claim in _claims():
            proof = claim["proof"]
            played = "played" if claim["event"] in ("fell", "sprung", "missed") else "not played"
            mates = proof["mate_in"] is not None
            kind = f"{'mate' if mates else 'material'}, {played}"
            won, loss = _measured(engine, claim["fen"], claim["bait"])
            agrees = won == 1 if mates else loss >= BLUNDER
            made[kind] += 1
            agreed[kind] += agrees
            costly[kind] += loss >= BLUNDER
            if not agrees:
                denied.append(f"{claim['fen']} {claim['bait_san']} {' '.join(claim['killer_line_san'])}: {loss:.2f}")
        name = engine.name
    print(f"Claims about {', '.join(FILES)}; {name} at {NODES:,} nodes agrees:\n")
    print(f"{'claimed':22} {'agrees':>14}   gave away {BLUNDER}")
    for kind in sorted(made):
        print(f"{kind:22} {agreed[kind]:6} of {made[kind]:4}   {costly[kind]:6}")
    print("\nDenied, with the loss that it sees:\n")
    print("\n".join(denied) or "nothing")


def _claims() -> list[dict[str, Any]]:
    """Each move that is said to lose, once; the event that says most about it first."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.jsonl"
        command = [
            sys.executable,
            "-m",
            "trapline",
            "annotate",
            "--tell",
            "similar",
            "--engine",
            "off",
            *(str(DATA / "pgn" / file) for file in FILES),
        ]
        subprocess.run([*command, "--output", str(Path(name) / "out.pgn"), "--report", str(report)], check=True)
        claims = [json.loads(line) for line in report.read_text().splitlines()]
    order = ("fell", "sprung", "missed", "avoided", "set")
    claims.sort(key=lambda claim: order.index(claim["event"]))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for claim in claims:
        if not claim["known"] and claim["proof"]["verdict"] == "proved":
            found.setdefault((claim["fen"], claim["bait"]), claim)
    return list(found.values())


def _measured(engine: UciEngine, fen: str, bait: str) -> tuple[float, float]:
    """The attacker's win chance after the move, 1 for a mate, and what the move gives away; -1 to 1, and -2 to 2."""
    before = parse_position(fen)
    after = before.copy(stack=False)
    after.push(chess.Move.from_uci(bait))
    won = engine.evaluate(after, NODES).chance
    return won, engine.evaluate(before, NODES).chance + won


if __name__ == "__main__":
    main()
