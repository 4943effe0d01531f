"""What a line does later than at once, or besides what it takes."""

from functools import lru_cache

import chess

from db.wording.effects.finding import effects_of
from db.wording.effects.played import Effect
from db.wording.evidence import Evidence, is_worth_a_pawn
from db.wording.material import best_moves, board_at, lost_points, takes_with_profit
from db.wording.reasons import is_natural, line_effect
from db.wording.stands import Target, after_line, taken_by
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position

_AT_THE_LATEST = 5  # ply of the better line with which it takes something
_SOON = 3  # plies of the better line after which a pawn must not have cost anything
_SETTLED = 2  # plies later until which the side must stay ahead
_ROUNDING = 0.5  # points by which pieces that are worth the same may differ


@lru_cache(maxsize=4096)
def taken_next(evidence: Evidence) -> tuple[int, Target] | None:
    """What the better line takes soon, not at once, and with which ply, from 1, if the side stays ahead by that, and
    is not after the losing move.

    None if there is nothing, if the first move says enough, and if the replies on the way are not the natural ones. A
    pawn counts only if the losing move costs no more.
    """
    line, before = best_moves(evidence, whole=True), parse_position(evidence.fen)
    if evidence.mate_in is not None or not line:
        return None
    first = taken_by(before, before.parse_uci(line[0]))
    if first is not None and first[0] != chess.PAWN:
        return None
    won = [-lost_points(before, line[: ply + 1]) for ply in range(len(line))]
    for ply in range(3, min(_AT_THE_LATEST, len(line) - 1) + 1, 2):
        replied = after_line(before, line[: ply - 1])
        taken = taken_by(replied, replied.parse_uci(line[ply - 1]))
        reached = after_line(before, line[: ply - 2])
        is_put_there = line[ply - 2][2:4] == line[ply - 1][2:4]
        is_between = reached.is_check() and not reached.is_capture(reached.parse_uci(line[ply - 2]))
        if taken is None or (is_put_there and not is_between):
            continue  # what takes something, or is given up, first
        is_pawn = taken[0] == chess.PAWN
        forced = all(is_natural(after_line(before, line[:each]), line[each]) for each in range(1, ply, 2))
        if not forced and (is_pawn or ply > 3):
            return None
        least = 1 if is_pawn and is_worth_a_pawn(evidence) else POINTS[chess.KNIGHT] - 1
        played = -lost_points(before, (evidence.bait, *evidence.killer_line[: ply - 1]))
        if min(won[ply - 1 : ply + _SETTLED]) >= max(least, won[0] + 1 - _ROUNDING, played + 1 - _ROUNDING):
            return ply, taken
    return None


@lru_cache(maxsize=4096)
def takes_and_attacks(evidence: Evidence) -> Effect | None:
    """The attack on a piece that the better move makes while it takes a pawn; None without one."""
    line = best_moves(evidence)
    before = parse_position(evidence.fen)
    taken = taken_by(before, before.parse_uci(line[0])) if line else None
    if taken is None or taken[0] != chess.PAWN:
        return None
    attacks = (each for each in effects_of(before, line, evidence.half_move) if each.does in ("attack", "uncover"))
    return next((each.on_pieces for each in attacks if each.targets[0][0] != chess.PAWN), None)


def takes_pawn(evidence: Evidence) -> Target | None:
    """The pawn that the better move takes and is ahead by soon; None without one, or if the losing move takes it."""
    before, line = parse_position(evidence.fen), best_moves(evidence)
    if not line or line[0][2:4] == evidence.bait[2:4] or -lost_points(before, line[:_SOON]) < 1:
        return None
    taken = taken_by(before, before.parse_uci(line[0]))
    return taken if taken is not None and taken[0] == chess.PAWN else None


def only_attacks(evidence: Evidence) -> bool:
    """Whether all that the killer line does is that a quiet move attacks a single piece."""
    found, board = line_effect(evidence, is_forced=False), board_at(evidence, 1)
    if found is None or found[1].does != "attack" or len(found[1].targets) > 1:
        return False
    if takes_with_profit(board, evidence.killer_line[0]):
        return False
    board = board_at(evidence, found[0])
    return not board.is_capture(board.parse_uci(evidence.killer_line[found[0] - 1]))
