"""Chess: what would a radius around the bait save in the proof of a trap, and what would it miss?

The distance of two moves here is that of their nearest squares, in steps of a king: 0 if they have a square in common.
The static distance of `workshop.games.search.local_search` is 2.0 turns on the average of chess's moves, too small to
divide them.
"""

from dataclasses import dataclass

import chess

from db.formats.bundled import bundled_traps
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, slots=True)
class Radius:
    """Of one radius over all bundled traps whose killer line is known."""

    steps: int
    traps: int
    kept: int
    """Traps all of whose attacker's moves lie inside."""
    moves: int
    """Legal moves of the attacker in all positions of the lines."""
    saved: int
    """Of these, those that lie outside and would not be examined."""


def distance(one: chess.Move, other: chess.Move) -> int:
    """Steps of a king between the nearest squares of two moves."""
    squares = [(a, b) for a in (one.from_square, one.to_square) for b in (other.from_square, other.to_square)]
    return min(chess.square_distance(a, b) for a, b in squares)


def radii(most: int = 6) -> list[Radius]:
    """Of each radius from 0 to ``most``."""
    lines: list[tuple[list[int], list[int]]] = []
    for trap in bundled_traps():
        board = parse_position(trap.epd)
        bait = board.parse_uci(trap.bait)
        board.push(bait)
        killers, legal = [], []
        for number, text in enumerate(trap.killer_line):
            move = board.parse_uci(text)
            if number % 2 == 0:
                legal += [distance(bait, other) for other in board.legal_moves]
                killers.append(distance(bait, move))
            board.push(move)
        lines.append((killers, legal))
    found = []
    for steps in range(most + 1):
        kept = sum(max(killers) <= steps for killers, _ in lines)
        moves = sum(len(legal) for _, legal in lines)
        saved = sum(one > steps for _, legal in lines for one in legal)
        found.append(Radius(steps, len(lines), kept, moves, saved))
    return found
