"""Draws ordinary positions from real games: moves that lose nothing, after which there is nothing to find.

    python -m tests.experiments.ordinary positions.tsv --engine stockfish
    python -m tests.experiments.ordinary positions.tsv --write

The first form lets an engine judge moves of the open amateur games, the second writes those of the lichess games (CC0)
that lose less than half a pawn, in positions that were not lost already, where the fit of the weights finds them. The
other games are left for tests.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from tests.benchmarks.material import DATA
from tests.stockfish import STOCKFISH
from trapcore.fitting import ORDINARY

FOR_FIT = "amateur_lichess_2021_10_kdave.pgn"
FOR_TESTS = ("amateur_chesscom_cancer0707.pgn", "lichess_broadcast_club_luna.pgn")
EACH = 5
"""Positions of a game."""
FIRST = 8
"""Plies of the opening that are left out."""
LOST = -300
"""Centipawns below which a position counts as lost already."""
CLEAN = 50
"""Centipawns that a move may lose."""
NODES = 15_000
MATE = 10_000


def sample(path: Path) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Positions and the moves played in them."""
    choose = random.Random(7)
    with path.open(encoding="utf-8", errors="replace") as file:
        while game := chess.pgn.read_game(file):
            nodes = list(game.mainline())
            if game.headers.get("Variant", "Standard") != "Standard" or len(nodes) <= FIRST + EACH:
                continue
            for i in sorted(choose.sample(range(FIRST, len(nodes)), EACH)):
                parent = nodes[i].parent
                assert parent is not None
                if not nodes[i].board().is_game_over():
                    yield parent.board(), nodes[i].move


def main(arguments: list[str]) -> None:
    """Judge positions, or write the clean ones."""
    parser = argparse.ArgumentParser(description="Draw ordinary positions from real games.")
    parser.add_argument("positions", type=Path)
    parser.add_argument("--engine", default=STOCKFISH or "stockfish")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    if options.write:
        rows = [line.split("\t") for line in options.positions.read_text().splitlines()]
        clean = [row for row in rows if row[0] == FOR_FIT and is_clean(int(row[3]), int(row[4]))]
        ORDINARY.write_text("".join(f"{row[1]}\t{row[2]}\n" for row in clean))
        print(f"{len(clean)} positions written to {ORDINARY}")
        return
    with chess.engine.SimpleEngine.popen_uci(options.engine) as engine, options.positions.open("w") as out:
        limit = chess.engine.Limit(nodes=NODES)
        for name in (FOR_FIT, *FOR_TESTS):
            for board, move in sample(DATA / "pgn" / name):
                victim = board.turn
                fen = board.fen()
                before = engine.analyse(board, limit)["score"].pov(victim).score(mate_score=MATE)
                board.push(move)
                after = engine.analyse(board, limit)["score"].pov(victim).score(mate_score=MATE)
                out.write(f"{name}\t{fen}\t{move.uci()}\t{before}\t{after}\n")


def is_clean(before: int, after: int) -> bool:
    """Whether a move lost nothing, by centipawns of its side before and after, in a position that was not lost."""
    return before > LOST and before - after < CLEAN


if __name__ == "__main__":
    main(sys.argv[1:])
