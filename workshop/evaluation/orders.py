"""Orders of the attacker's moves that need no library: what every learned order has to beat."""

from collections.abc import Callable, Mapping

import chess

from trapcore.piece_values import POINTS
from workshop.evaluation.sample import Puzzle
from workshop.native import _core

Scores = Mapping[str, float]
"""Each move (UCI) with its score; the highest comes first, equal ones in any order."""

_CHECK = 1000.0


def at_random(puzzle: Puzzle) -> Scores:
    """All moves with one score."""
    return dict.fromkeys(puzzle.moves, 0.0)


def checks_first(puzzle: Puzzle) -> Scores:
    """Checks, then captures, each by MVV-LVA: the most valuable victim first, then the least valuable attacker."""
    return _forcing(puzzle, _CHECK)


def captures_first(puzzle: Puzzle) -> Scores:
    """Captures by MVV-LVA, then checks."""
    return _forcing(puzzle, 0.5)


def _forcing(puzzle: Puzzle, check: float) -> Scores:
    board = puzzle.board
    scores = {}
    for move in board.legal_moves:
        score = check if board.gives_check(move) else 0.0
        if board.is_capture(move):
            victim = board.piece_type_at(move.to_square) or chess.PAWN  # en passant
            attacker = board.piece_type_at(move.from_square)
            assert attacker is not None
            score += 20.0 + 10.0 * POINTS[victim] - POINTS[attacker]
        if move.promotion:
            score += 10.0 * POINTS[move.promotion]
        scores[board.uci(move)] = score
    return scores


def fewest_replies(puzzle: Puzzle) -> Scores:
    """The move that leaves the victim fewest replies first; of equal ones, checks."""
    board = puzzle.board
    scores = {}
    for move in list(board.legal_moves):
        uci = board.uci(move)
        board.push(move)
        scores[uci] = -float(board.legal_moves.count()) + (0.5 if board.is_check() else 0.0)
        if board.is_stalemate():
            scores[uci] = -_CHECK
        board.pop()
    return scores


def three_plies(puzzle: Puzzle) -> Scores:
    """The value after the best reply and the best mate or exchange that follows, then the mean over all replies."""
    moves, _ = _core.three_plies(puzzle.board.fen())
    return {move: worst + mean / 1e5 for move, worst, mean in moves}


PLAIN: dict[str, Callable[[Puzzle], Scores]] = {
    "random": at_random,
    "captures MVV-LVA, then checks": captures_first,
    "checks, then captures MVV-LVA": checks_first,
    "fewest replies": fewest_replies,
    "search of 3 plies with exchanges": three_plies,
}
"""By name, in the order of the tables."""
