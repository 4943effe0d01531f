"""Draws ordinary positions from real games: moves that lose nothing, after which there is nothing to find.

    python -m workshop.experiments.background_moves answers.jsonl --engine stockfish

An engine judges moves of the open lichess games (CC0); those that lose nothing, in positions that were not lost
already, are written where the fit of the weights finds them. What the engine says is kept in the file given, as
``trapline research games --answers`` keeps it. The other open games are left for that command.
"""

import argparse
import sys
from contextlib import closing
from pathlib import Path

from trapcore.ranking.training import BACKGROUND_MOVES
from workshop.benchmarks.material import DATA
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.killers import Answers
from workshop.evaluation.background_moves import NODES, judged_moves

FOR_FIT = "amateur_lichess_2021_10_kdave.pgn"


def main(arguments: list[str]) -> None:
    """Judge positions, and write the clean ones."""
    parser = argparse.ArgumentParser(description="Draw ordinary positions from real games.")
    parser.add_argument("answers", type=Path)
    parser.add_argument("--engine", default=STOCKFISH or "stockfish")
    options = parser.parse_args(arguments)
    with closing(Answers(options.answers, options.engine, NODES)) as answers:
        judged = judged_moves([DATA / "pgn" / FOR_FIT], answers, print)
    clean = [j for j in judged if j.is_clean]
    BACKGROUND_MOVES.write_text("".join(f"{j.fen}\t{j.move}\n" for j in clean))
    print(f"{len(clean)} positions written to {BACKGROUND_MOVES}")


if __name__ == "__main__":
    main(sys.argv[1:])
