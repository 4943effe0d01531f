"""Strength of the network against the linear evaluation: games of the search against itself.

::

    python -m workshop.benchmarks.strength [--games N] [--seconds-a-move S | --nodes N]

Both sides are the same search of the same build and have the same time, or the same nodes, for each move. Each opening
of random moves is played twice, with colours changed.
"""

import argparse
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import chess

from trapcore import _native

OPENING_PLIES = 8
LEVEL = 120
"""An opening is taken if a brief search sees no more than this, in centipawns."""
LEVEL_NODES = 3000
DECIDED = 700
"""A game is over when the values of so many moves in a row say that the same side is ahead by this, in centipawns."""
DECIDED_MOVES = 5
LONGEST = 240
"""Plies after which a game is a draw."""
MOST_DEPTH = 64
MOST_NODES = 2**62

Evaluation = Literal["network", "linear"]


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """What a side may spend on a move: milliseconds, or else nodes."""

    milliseconds: int | None
    nodes: int = MOST_NODES


@dataclass(frozen=True, slots=True)
class Score:
    """Games that the network won, drew and lost."""

    won: int
    drawn: int
    lost: int

    def elo(self) -> tuple[float, float, float]:
        """Difference in rating and its interval of 95 %; beyond 1,200 nothing is told apart."""
        games = self.won + self.drawn + self.lost
        mean = (self.won + self.drawn / 2) / games
        squares = self.won * (1 - mean) ** 2 + self.drawn * (0.5 - mean) ** 2 + self.lost * mean**2
        error = 1.96 * math.sqrt(squares) / games
        return _rating(mean), _rating(mean - error), _rating(mean + error)


def _rating(share: float) -> float:
    share = min(max(share, 0.001), 0.999)
    return -400 * math.log10(1 / share - 1)


def level_opening(numbers: random.Random) -> str:
    """FEN of a position after random moves in which neither side is much better."""
    while True:
        board = chess.Board()
        while board.ply() < OPENING_PLIES and not board.is_game_over():
            board.push(numbers.choice(list(board.legal_moves)))
        if board.is_game_over():
            continue
        if abs(_native.search(board.fen(), [], MOST_DEPTH, LEVEL_NODES, None, None)[0]) <= LEVEL:
            return board.fen()


def play(fen: str, white: Evaluation, black: Evaluation, budget: MoveBudget) -> int:
    """A game from this position: 1 if White wins, -1 if Black does, 0 for a draw."""
    board, moves = chess.Board(fen), list[str]()
    ahead = row = 0
    while len(moves) < LONGEST:
        outcome = board.outcome()
        if outcome is not None or board.is_repetition(3) or board.halfmove_clock >= 100:
            winner = None if outcome is None else outcome.winner
            return 0 if winner is None else 1 if winner else -1
        value, _, _, line, _ = _native.search(
            fen, moves, MOST_DEPTH, budget.nodes, budget.milliseconds, None, [], [], white if board.turn else black
        )
        for_white = value if board.turn else -value
        leader = 0 if abs(for_white) < DECIDED else 1 if for_white > 0 else -1
        row = row + 1 if leader == ahead else 1
        ahead = leader
        if leader and row >= DECIDED_MOVES:
            return leader
        # Where not even the first depth was finished, any move.
        move = line[0] if line else next(iter(board.legal_moves)).uci()
        board.push_uci(move)
        moves.append(move)
    return 0


def match(games: int, budget: MoveBudget, seed: int = 1) -> Score:
    """The network against the linear evaluation; each opening twice."""
    numbers, results = random.Random(seed), list[int]()
    while len(results) < games:
        opening = level_opening(numbers)
        results += [play(opening, "network", "linear", budget), -play(opening, "linear", "network", budget)]
    return Score(results.count(1), results.count(0), results.count(-1))


def main(arguments: Sequence[str]) -> int:
    """Plays and prints the score."""
    parser = argparse.ArgumentParser(prog="python -m workshop.benchmarks.strength")
    parser.add_argument("--games", type=int, default=400)
    means = parser.add_mutually_exclusive_group()
    means.add_argument("--seconds-a-move", type=float, default=0.05)
    means.add_argument("--nodes", type=int, help="equal nodes in place of equal time")
    given = parser.parse_args(arguments)
    timed = MoveBudget(round(1000 * given.seconds_a_move))
    budget = timed if given.nodes is None else MoveBudget(None, given.nodes)
    score = match(given.games, budget)
    elo, low, high = score.elo()
    print(
        f"network against linear: +{score.won} ={score.drawn} -{score.lost}, {elo:+.0f} Elo ({low:+.0f} to {high:+.0f})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
