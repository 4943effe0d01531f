"""Guards: what the better move guards, and what falls without that."""

from collections.abc import Sequence

import chess

from db.wording.evidence import Evidence
from db.wording.material import best_moves, board_at, takes_with_profit
from db.wording.stands import POINT, Target, after_line, gains_on, is_taken_at_once
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position

SOON = 6
"""Plies of a line in which happens what a move is about."""


def guarded_later(evidence: Evidence) -> Target | None:
    """What the best move newly guards, stood there before, and is only taken in the line of the losing move."""
    before, line = parse_position(evidence.fen), best_moves(evidence)
    if not line or before.is_check() or is_taken_at_once(line):
        return None  # a guard that is taken at once guards nothing
    best = before.parse_uci(line[0])
    after = after_line(before, line[:1])
    for square in after.attacks(best.to_square) - before.attacks(best.from_square):
        kind, name = before.piece_type_at(square), chess.square_name(square)
        is_there = after.piece_at(square) == before.piece_at(square) and before.color_at(square) == before.turn
        if kind in (None, chess.KING) or not is_there or evidence.bait[:2] == name:
            continue
        assert kind is not None
        if not falls_only(evidence, name, line) or gains_on(after).get(square, 0) >= POINT:
            continue
        ply = next(ply for ply in range(1, SOON, 2) if evidence.killer_line[ply - 1][2:4] == name)
        board, capture = board_at(evidence, ply), evidence.killer_line[ply - 1]
        taker = board.piece_type_at(chess.parse_square(capture[:2]))
        # What has a guard already, or is taken by a piece of less worth, a guard does not save.
        if takes_with_profit(board, capture) and taker is not None and POINTS[taker] >= POINTS[kind] - 1:
            return kind, square
    return None


def guards_as_well(evidence: Evidence, square: chess.Square) -> bool:
    """Whether the losing move guards what stands on the square as well."""
    baited = board_at(evidence, 1)
    return square in baited.attacks(chess.parse_square(evidence.bait[2:4]))


def falls_only(evidence: Evidence, square: str, line: Sequence[str]) -> bool:
    """Whether something is taken on the square soon after the losing move, and not in the line of the best one."""
    falls = any(uci[2:4] == square for uci in evidence.killer_line[:SOON:2])
    return falls and all(uci[2:4] != square for uci in line[1:SOON:2])


def hangs(evidence: Evidence, square: str) -> bool:
    """Whether what stands there after the losing move can be taken with profit."""
    return gains_on(board_at(evidence, 1)).get(chess.parse_square(square), 0) >= POINT
