"""Games of Stockfish at limited strength, which the move model's weights for engines are fitted to.

    python -m workshop.repertoire.limited_games --games N --out FILE.pgn [--rating LOW-HIGH] [--milliseconds M]

Each game is between two processes of the same rating (``UCI_Elo``), drawn from the range, from a position after
some random moves. A limited engine picks by chance among the moves that a shallow search of it likes best, and what it
remembers of its searches before makes that less shallow: so it gets the time for a move that it has in a game.
"""

import argparse
import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from trapcore.engines.process import EngineProcess
from trapcore.errors import UsageError
from workshop.benchmarks.stockfish import STOCKFISH, LimitedEngine

OPENING_PLIES = (2, 3, 4, 5, 6)
LONGEST = 160
"""Plies after which a game is broken off."""


def random_start(numbers: random.Random) -> chess.Board:
    """The initial position after some random moves, as a position to begin from: nobody chose these moves."""
    board = chess.Board()
    for _ in range(numbers.choice(OPENING_PLIES)):
        board.push(numbers.choice(list(board.legal_moves)))
    return chess.Board(board.fen())


def play(engines: Sequence[EngineProcess], rating: int, milliseconds: int, start: chess.Board) -> chess.pgn.Game:
    """One game of two engines from ``start`` on, with the rating as that of both players."""
    limit = chess.engine.Limit(time=milliseconds / 1000)
    black, white = (LimitedEngine(engine, rating, limit) for engine in engines)
    board = start.copy()
    while not board.is_game_over(claim_draw=True) and len(board.move_stack) < LONGEST:
        board.push((white if board.turn else black).move(board))
    game = chess.pgn.Game.from_board(board)
    game.headers.update({"White": "limited", "Black": "limited", "WhiteElo": str(rating), "BlackElo": str(rating)})
    return game


def main() -> None:
    """Play and write."""
    parser = argparse.ArgumentParser(prog="python -m workshop.repertoire.limited_games")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rating", default="1350-2000", metavar="LOW-HIGH")
    parser.add_argument("--milliseconds", type=int, default=50, help="for a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if STOCKFISH is None:
        raise UsageError("games of Stockfish need Stockfish, which is not here")
    low, high = map(int, given.rating.split("-"))
    numbers = random.Random(given.seed)
    with ExitStack() as stack:
        engines = [stack.enter_context(EngineProcess(STOCKFISH)) for _ in range(2)]
        out = stack.enter_context(given.out.open("w", encoding="utf-8"))
        for _ in range(given.games):
            rating = numbers.randint(low, high)
            game = play(engines, rating, given.milliseconds, random_start(numbers))
            print(game, end="\n\n", file=out, flush=True)


if __name__ == "__main__":
    main()
