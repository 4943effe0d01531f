"""What follows a move: each reply of the victim, and the attacker's best follow-up to it."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import chess

from trapcore.ranking.reference.scene import (
    NOTHING,
    Offset,
    Scene,
    View,
    after,
    captured,
    ends,
    exchange,
    gain,
    king_of,
    mover,
)
from trapcore.ranking.reference.seen import Check, Seen

MATED = 20_000
"""Centipawns that stand for a mate."""
LONGEST = 3
"""Longest mate by checks alone that is looked for, in moves after the first."""
MOST_LOOKED_AT = 600
"""Replies and checks that may be looked at to find it, in the order of the turned board."""


class Reply(IntEnum):
    """What the victim does."""

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
    """What the attacker can do next, best first."""

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
class Answered:
    """The replies to a move, summed up."""

    replies: int
    mated: int
    """Replies after which the attacker mates at once."""
    forced: int
    """Replies after which the attacker has a check that leaves one reply at most."""
    won: tuple[int, int, int]
    """Replies after which the attacker has won 200, 400, 800 centipawns or more in all."""
    mate_by_checks: int | None
    """Moves in which the attacker mates by checks alone after this one, whatever the victim does: 0 if this mates."""
    worst: int
    """Centipawns after the best reply; `MATED` if every reply is mated."""
    mean: int
    """Mean of the centipawns after each reply, each between -900 and 1200, cut off towards nothing."""
    pairs: Mapping[tuple[Reply, FollowUp], int]
    """How often each kind of reply meets each kind of follow-up."""


def answer(scene: Scene, seen: Seen) -> Answered:
    """Look at all replies to a move."""
    own = gain(scene.board, seen.move)
    target = ends(scene.board, seen.move)[1]
    nets: list[int] = []
    pairs: Counter[tuple[Reply, FollowUp]] = Counter()
    forced = 0
    for reply in seen.replies:
        next = after(seen.next, reply)
        kind = _kind(seen.next, reply, next, target)
        found = _follow_up(next, scene.view, target)
        if found.lost:
            net = -MATED
        elif found.follow_up.then == Then.MATE:
            net = MATED
        else:
            net = own - gain(seen.next, reply) + found.gain
        nets.append(net)
        pairs[kind, found.follow_up] += 1
        forced += found.fewest is not None and found.fewest <= 1
    total = sum(max(-900, min(net, 1200)) for net in nets)
    return Answered(
        replies=len(nets),
        mated=sum(net == MATED for net in nets),
        forced=forced,
        won=(_won(nets, 200), _won(nets, 400), _won(nets, 800)),
        mate_by_checks=None if seen.check == Check.NONE else _mate_by_checks(seen.next, scene.view),
        worst=min(nets, default=MATED if seen.mates else 0),
        mean=math.trunc(total / len(nets)) if nets else 1200 if seen.mates else 0,
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
    """Centipawns that the best exchange gains, 0 or more; not asked where there is a mate."""
    fewest: int | None = None
    """Fewest replies that a check leaves; None without a check."""
    lost: bool = False
    """The attacker is mated."""


def _follow_up(board: chess.Board, view: View, moved: chess.Square) -> _Found:
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
                mates.append(FollowUp(Then.MATE, piece, view.offset(king, ends(board, move)[1]), same=same))
            else:
                checks.append((replies, FollowUp(Then.CHECK, piece, same=same)))
        if board.is_capture(move) or move.promotion:
            value = exchange(board, move, view)
            if value > 0:
                wins.append((-value, FollowUp(Then.WIN, piece, captured=captured(board, move), same=same)))
    if mates:
        return _Found(min(mates), fewest=0)
    fewest, check = min(checks, default=(None, FollowUp()))
    value, win = min(wins, default=(0, check))
    return _Found(win, -value, fewest, lost=not moves and board.is_check())


def _mate_by_checks(board: chess.Board, view: View) -> int | None:
    """In how many moves the side to move is mated by checks alone, 0 to `LONGEST`; None if not, or if too many replies
    and checks would have to be looked at."""
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
            look_at_one() and answered(after(board, reply), moves) for reply in view.in_order(board, board.legal_moves)
        )

    def answered(board: chess.Board, moves: int) -> bool:
        checks = (move for move in view.in_order(board, board.legal_moves) if board.gives_check(move))
        return any(look_at_one() and is_mated(after(board, check), moves - 1) for check in checks)

    return next((moves for moves in range(LONGEST + 1) if is_mated(board, moves)), None)
