"""Replies to a move, each with the attacker's best follow-up."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import chess

from workshop.reference.attacker_view import (
    NOTHING,
    AttackerView,
    Offset,
    Orientation,
    after,
    captured,
    ends,
    king_of,
    material_gain,
    mover,
    see,
)
from workshop.reference.visible_features import Check, MoveFeatures

MATED = 20_000
"""Centipawns that stand for a mate."""
LONGEST = 3
"""Longest mate by checks alone that is searched for, in moves after the first."""
MOST_LOOKED_AT = 600
"""Replies and checks that may be examined to find it, in the order of the turned board."""


class Reply(IntEnum):
    """Kind of a reply of the victim."""

    KING_MOVES = 0
    """Without taking, and not castling."""
    KING_TAKES = 1
    RETAKES = 2
    """Takes on the square that was moved to."""
    TAKES = 3
    """Takes on another square; en passant, too."""
    CHECKS = 4
    """Gives check without taking."""
    OTHER = 5


class Then(IntEnum):
    """Kind of a follow-up of the attacker, best first."""

    MATE = 0
    WIN = 1
    """Wins material by a capture or a promotion, by exchange."""
    CHECK = 2
    NOTHING = 3


@dataclass(frozen=True, order=True)
class FollowUp:
    """The attacker's best follow-up; of two that are as good the lesser one counts."""

    then: Then = Then.NOTHING
    piece: int = NOTHING
    """Which piece it is made with; the new one where a pawn promotes."""
    offset: Offset = (0, 0)
    """For a mate: where from the king the piece goes."""
    captured: int = NOTHING
    """For a win: what is taken."""
    same: bool = False
    """Is it made with the piece that moved before?"""


@dataclass(frozen=True)
class ReplySummary:
    """Statistics of the replies to a move."""

    replies: int
    mated: int
    """Replies after which the attacker mates at once."""
    forced: int
    """Replies after which the attacker has a check that leaves one reply at most."""
    won: tuple[int, int, int]
    """Replies after which the attacker has won 200, 400, 800 centipawns or more in all."""
    mate_by_checks: int | None
    """Moves in which the attacker mates by checks alone after this one, against every defence: 0 if this mates."""
    worst: int
    """Centipawns after the best reply; `MATED` if every reply is mated."""
    mean: int
    """Mean of the centipawns after each reply, each between -900 and 1200, cut off towards nothing."""
    pairs: Mapping[tuple[Reply, FollowUp], int]
    """How often each kind of reply meets each kind of follow-up."""


def summarize_replies(position: AttackerView, features: MoveFeatures) -> ReplySummary:
    """Statistics of all replies to a move."""
    own = material_gain(position.board, features.move)
    target = ends(position.board, features.move)[1]
    nets: list[int] = []
    pairs: Counter[tuple[Reply, FollowUp]] = Counter()
    forced = 0
    for reply in features.replies:
        next = after(features.next, reply)
        kind = _kind(features.next, reply, next, target)
        found = _follow_up(next, position.orientation, target)
        if found.lost:
            net = -MATED
        elif found.follow_up.then == Then.MATE:
            net = MATED
        else:
            net = own - material_gain(features.next, reply) + found.gain
        nets.append(net)
        pairs[kind, found.follow_up] += 1
        forced += found.fewest is not None and found.fewest <= 1
    total = sum(max(-900, min(net, 1200)) for net in nets)
    return ReplySummary(
        replies=len(nets),
        mated=sum(net == MATED for net in nets),
        forced=forced,
        won=(_won(nets, 200), _won(nets, 400), _won(nets, 800)),
        mate_by_checks=None if features.check == Check.NONE else _mate_by_checks(features.next, position.orientation),
        worst=min(nets, default=MATED if features.mates else 0),
        mean=math.trunc(total / len(nets)) if nets else 1200 if features.mates else 0,
        pairs=pairs,
    )


def _won(nets: list[int], least: int) -> int:
    return sum(net >= least for net in nets)


def _kind(board: chess.Board, reply: chess.Move, next: chess.Board, target: chess.Square) -> Reply:
    takes = board.is_capture(reply)
    if mover(board, reply) == chess.KING and not board.is_castling(reply):
        return Reply.KING_TAKES if takes else Reply.KING_MOVES
    if takes:
        return Reply.RETAKES if reply.to_square == target else Reply.TAKES
    return Reply.CHECKS if next.is_check() else Reply.OTHER


@dataclass(frozen=True)
class _Found:
    follow_up: FollowUp
    gain: int = 0
    """Centipawns that the best exchange gains, 0 or more; not computed where there is a mate."""
    fewest: int | None = None
    """Fewest replies that a check leaves; None without a check."""
    lost: bool = False
    """The attacker is mated."""


def _follow_up(board: chess.Board, orientation: Orientation, moved: chess.Square) -> _Found:
    """The best move at first sight: a mate, else what gains most, else the check that leaves fewest replies.

    ``moved`` is where the piece stands that moved before.
    """
    mates: list[FollowUp] = []
    wins: list[tuple[int, FollowUp]] = []
    checks: list[tuple[int, FollowUp]] = []
    king = king_of(board, not board.turn)
    moves = list(board.legal_moves)
    for move in moves:
        piece, same = move.promotion or mover(board, move), move.from_square == moved
        if board.gives_check(move):
            replies = after(board, move).legal_moves.count()
            if replies == 0:
                mates.append(FollowUp(Then.MATE, piece, orientation.offset(king, ends(board, move)[1]), same=same))
            else:
                checks.append((replies, FollowUp(Then.CHECK, piece, same=same)))
        if board.is_capture(move) or move.promotion:
            value = see(board, move, orientation)
            if value > 0:
                wins.append((-value, FollowUp(Then.WIN, piece, captured=captured(board, move), same=same)))
    if mates:
        return _Found(min(mates), fewest=0)
    fewest, check = min(checks, default=(None, FollowUp()))
    value, win = min(wins, default=(0, check))
    return _Found(win, -value, fewest, lost=not moves and board.is_check())


def _mate_by_checks(board: chess.Board, orientation: Orientation) -> int | None:
    """In how many moves the side to move is mated by checks alone, 0 to `LONGEST`; None if not, or if too many replies
    and checks would have to be examined."""
    left = MOST_LOOKED_AT

    def look_at_one() -> bool:
        nonlocal left
        left -= 1
        return left >= 0

    def is_mated(board: chess.Board, moves: int) -> bool:
        if not any(board.legal_moves):
            return board.is_check()
        if moves == 0:
            return False
        return all(
            look_at_one() and answered(after(board, reply), moves)
            for reply in orientation.in_order(board, board.legal_moves)
        )

    def answered(board: chess.Board, moves: int) -> bool:
        checks = (move for move in orientation.in_order(board, board.legal_moves) if board.gives_check(move))
        return any(look_at_one() and is_mated(after(board, check), moves - 1) for check in checks)

    return next((moves for moves in range(LONGEST + 1) if is_mated(board, moves)), None)
