"""What a line does later than at once, or besides what it takes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import chess

from db.wording.effects.finding import effects_of
from db.wording.effects.played import Effect
from db.wording.evidence import Evidence, is_worth_a_pawn
from db.wording.material import Material, best_moves, board_at, in_order, lost_points, takes_with_profit
from db.wording.stands import (
    Target,
    after_line,
    counts_of,
    is_natural,
    is_quiet,
    is_taken_at_once,
    last_capture,
    points_of,
    stands_of,
    taken_by,
)
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position

_AT_THE_LATEST = 5  # ply of the better line with which it takes something
_SOON = 3  # plies of the better line after which a pawn must not have cost anything
_LOST = -0.4  # win chance from which down an ending is called lost
_ENDING = 8  # points of pieces
_A_PIECE = 2  # points from which on it is more than a pawn
_LISTED = 3  # pieces that a sentence lists
_QUEENS = 6  # plies of the killer line in which the queens go as well
_SETTLED = 2  # plies later until which the side must stay ahead
_ROUNDING = 0.5  # points by which pieces that are worth the same may differ


@lru_cache(maxsize=4096)
def taken_next(evidence: Evidence, *, is_forced: bool = True) -> int | None:
    """The ply, from 1, with which the better line soon takes something, not at once; None if there is nothing, or if
    the first move says enough. After the losing move the side is not ahead by that. A pawn counts only if that costs no
    more. Unless ``is_forced`` is false, the replies on the way are natural ones."""
    line, before = best_moves(evidence, whole=True), parse_position(evidence.fen)
    if evidence.mate_in is not None or not line:
        return None
    first = _taken_at_once(evidence)
    if (first is not None and first[0] != chess.PAWN) or takes_and_attacks(evidence) is not None:
        return None
    for ply, taken, won in _takes_later(before, line, is_forced=is_forced):
        least = 1 if taken[0] == chess.PAWN and is_worth_a_pawn(evidence) else POINTS[chess.KNIGHT] - 1
        played = min(-lost_points(before, (evidence.bait, *evidence.killer_line[:count])) for count in (ply - 1, ply))
        if won >= max(least, played + 1 - _ROUNDING):
            return _until_piece(before, line, ply)
    return None


@lru_cache(maxsize=4096)
def taken_later(evidence: Evidence) -> int | None:
    """The same of the killer line, and 1 if its first move takes as much; after the better move the side is not ahead
    by that."""
    baited, before = board_at(evidence, 1), parse_position(evidence.fen)
    if evidence.mate_in is not None:
        return None
    wins = takes_with_profit(baited, evidence.killer_line[0])
    first = taken_by(baited, chess.Move.from_uci(evidence.killer_line[0])) if wins else None
    better = best_moves(evidence, whole=True)
    for ply, taken, won in _takes_later(baited, evidence.killer_line):
        lost = min(lost_points(before, better[:count]) for count in (ply, ply + 1))
        if min(won, lost_points(before, (evidence.bait, *evidence.killer_line[:ply]))) >= max(1, lost + 1 - _ROUNDING):
            is_more = first is None or POINTS[taken[0]] > POINTS[first[0]]
            return _until_piece(baited, evidence.killer_line, ply) if is_more else 1
    return None


def _until_piece(before: chess.Board, line: Sequence[str], ply: int) -> int:
    """The ply, or two more where it takes a pawn with check, and a piece falls next with profit."""
    board = after_line(before, line[:ply])
    if len(line) < ply + 2 or not board.is_check():
        return ply
    replied = after_line(board, line[ply : ply + 1])
    taken = taken_by(replied, replied.parse_uci(line[ply + 1]))
    falls = taken is not None and taken[0] != chess.PAWN and takes_with_profit(replied, line[ply + 1])
    return ply + 2 if falls else ply


def _takes_later(
    before: chess.Board, line: Sequence[str], *, is_forced: bool = True
) -> Iterator[tuple[int, Target, float]]:
    """What the side to move takes in a line (UCI), not at once: the ply, from 1, and the points by which it stays ahead
    more than after its first move, and after that was taken back.

    What the other side gives up first does not count. If ``is_forced``, the replies on the way must be natural ones,
    but for one before a piece.
    """
    won = [-lost_points(before, line[: ply + 1]) for ply in range(len(line))]
    for ply in range(3, min(_AT_THE_LATEST, len(line) - 1) + 1, 2):
        replied, reached = after_line(before, line[: ply - 1]), after_line(before, line[: ply - 2])
        taken = taken_by(replied, replied.parse_uci(line[ply - 1]))
        is_put_there = line[ply - 2][2:4] == line[ply - 1][2:4]
        is_between = reached.is_check() and not reached.is_capture(reached.parse_uci(line[ply - 2]))
        if taken is None or (is_put_there and not is_between):
            continue
        forced = all(is_natural(after_line(before, line[:each]), line[each]) for each in range(1, ply, 2))
        if is_forced and not forced and (taken[0] == chess.PAWN or ply > 3):
            return
        if not takes_with_profit(replied, line[ply - 1]):
            continue
        stays = min(won[ply - 1 : ply + _SETTLED])
        # Where most of it was given up for it, it is a trade; of one that is taken back at once the words say so.
        least = 0 if is_taken_at_once(line[ply - 1 :]) else POINTS[taken[0]] / 2
        if stays >= max(won[is_taken_at_once(line)] + 1 - _ROUNDING, least):
            yield ply, taken, stays


@lru_cache(maxsize=4096)
def won_in_the_end(evidence: Evidence) -> Material | None:
    """What the better line wins at its quiet places from some ply on, not at once, where the line of the losing move is
    a point worse at least; None if that is nothing, or more than a sentence can list. A pawn counts only if the move
    costs no more, or loses one as well; what falls late only if the replies are natural."""
    line, before = best_moves(evidence, whole=True), parse_position(evidence.fen)
    if evidence.mate_in is not None or not line or line[0][2:4] == evidence.bait[2:4]:
        return None
    start = counts_of(before)
    stands = [each for each in stands_of(start, before, line, not before.turn) if each.is_quiet]
    played = [
        -each.worth
        for each in stands_of(start, board_at(evidence, 1), evidence.killer_line, before.turn)
        if each.is_quiet
    ]
    least = min(played, default=0.0)
    for count, each in enumerate(stands[:-1]):
        stays = min(later.worth for later in stands[count:])
        if each.ply % 2 == 0 or each.ply == 1 or each.ply > _AT_THE_LATEST or stays < 1 or stays - least < 1:
            continue
        if each.ply > _SOON and not all(is_natural(after_line(before, line[:ply]), line[ply]) for ply in (1, 3)):
            return None
        if stays < _A_PIECE and stays - least < _A_PIECE and not is_worth_a_pawn(evidence):
            return None
        if each.lost.total() + each.gained.total() > _LISTED:
            return None
        ply = last_capture(before, line, each.ply)
        if ply == 1:
            return None
        return Material(in_order(each.lost), in_order(each.gained), ply, evidence.best_line[:ply], only=False)
    return None


@lru_cache(maxsize=4096)
def takes_and_attacks(evidence: Evidence) -> Effect | None:
    """The attack on a piece that the better move makes while it takes a pawn; None without one."""
    taken = _taken_at_once(evidence)
    if taken is None or taken[0] != chess.PAWN:
        return None
    effects = effects_of(parse_position(evidence.fen), best_moves(evidence), evidence.half_move)
    attacks = (each for each in effects if each.does in ("attack", "uncover"))
    return next((each.on_pieces for each in attacks if each.targets[0][0] != chess.PAWN), None)


def trades_queens(evidence: Evidence) -> tuple[int, Effect] | None:
    """The trade of queens in the better line, by its ply from 1; None without one, and if they soon go after the losing
    move as well."""
    before, line = parse_position(evidence.fen), best_moves(evidence, whole=True)
    both = all(len(before.pieces(chess.QUEEN, side)) == 1 for side in chess.COLORS)
    if not both or not board_at(evidence, min(_QUEENS, len(evidence.killer_line)) + 1).queens:
        return None
    plies = range(1, min(_AT_THE_LATEST, len(line) - 1) + 1, 2)
    ply = next((ply for ply in plies if not after_line(before, line[: ply + 1]).queens), None)
    return None if ply is None else (ply, Effect("trade", ((chess.QUEEN, chess.parse_square(line[ply - 1][2:4])),)))


def takes_pawn(evidence: Evidence) -> Target | None:
    """The pawn that the better move takes and is ahead by soon; None without one, or if the losing move takes it."""
    before, line = parse_position(evidence.fen), best_moves(evidence)
    if not line or line[0][2:4] == evidence.bait[2:4] or -lost_points(before, line[:_SOON]) < 1:
        return None
    taken = _taken_at_once(evidence)
    return taken if taken is not None and taken[0] == chess.PAWN else None


def _taken_at_once(evidence: Evidence) -> Target | None:
    """What the first move of the better line takes; None if that is nothing, or not known."""
    before, line = parse_position(evidence.fen), best_moves(evidence)
    return taken_by(before, before.parse_uci(line[0])) if line else None


def trade_down(evidence: Evidence) -> int | None:
    """Ply of the killer line, from 0 for the losing move, that begins a trade of equal pieces into a lost ending; None
    without one, and if the better line trades there as well.

    An ending has no queens, and pieces worth `_ENDING` on each side at most. It is lost from `_LOST` down.
    """
    if evidence.after is None or evidence.after > _LOST or evidence.mate_in is not None:
        return None
    line = (evidence.bait, *evidence.killer_line[: _AT_THE_LATEST - 1])
    board, better = parse_position(evidence.fen), best_moves(evidence)
    traded = {uci[2:4] for uci, again in pairwise(better) if uci[2:4] == again[2:4]}
    for ply, uci in enumerate(line[:-1]):
        move, again = board.parse_uci(uci), line[ply + 1]
        first = taken_by(board, move)
        board.push(move)
        second = taken_by(board, board.parse_uci(again)) if again[2:4] == uci[2:4] else None
        if first is None or second is None or chess.PAWN in (first[0], second[0]) or uci[2:4] in traded:
            continue
        end = after_line(board, (again,))
        if abs(POINTS[first[0]] - POINTS[second[0]]) <= _ROUNDING and is_quiet(end) and _is_ending(end):
            return ply
    return None


def _is_ending(board: chess.Board) -> bool:
    pieces = board.copy(stack=False)
    for square in chess.scan_forward(board.pawns | board.kings):
        pieces.remove_piece_at(square)
    return not board.queens and all(points_of(each) <= _ENDING for each in counts_of(pieces).values())
