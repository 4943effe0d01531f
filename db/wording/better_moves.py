"""What a better move does about the killer, read off the board.

A point is said only if the board shows it: a piece that is guarded can no longer be taken with profit, and a mate at
once is no longer one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import chess

from db.wording.evidence import Evidence
from trapcore import _native

_PAWN = 100
"""Centipawns that a capture wins at least."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a move does about the killer."""

    does: str
    """``stops_mate``, ``saves`` the piece that the killer takes, ``takes`` the piece that attacks it, ``guards`` it,
    ``blocks`` the attack on it, or ``covers`` the square of the killer."""
    piece: chess.PieceType | None = None
    """The piece that the killer takes."""
    square: chess.Square | None = None
    """Where that stands, or the square that is covered."""


def point_of(evidence: Evidence, before: chess.Board, best: chess.Move) -> Point | None:
    """What the best other move does; None if the board does not show it. ``before`` is the position of both moves."""
    baited, after = before.copy(stack=False), before.copy(stack=False)
    bait = baited.push_uci(evidence.bait)
    killer = baited.parse_uci(evidence.killer_line[0])
    after.push(best)
    works = after.piece_at(killer.from_square) == baited.piece_at(killer.from_square) and after.is_legal(killer)
    if evidence.mate_in is not None:
        # Only a search knows of longer mates.
        mates = evidence.mate_in == 1 and _then(baited, killer).is_checkmate()
        stops = mates and not (works and _then(after, killer).is_checkmate())
        return Point("stops_mate") if stops else None
    square = killer.to_square
    if before.color_at(square) == before.turn and bait.from_square != square:
        return _for_piece(before, after, best, killer, works=works)
    if baited.is_capture(killer) or not works:
        return None
    covers = square in after.attacks(best.to_square) - before.attacks(best.from_square)
    if not covers or square in baited.attacks(bait.to_square):
        return None
    return Point("covers", square=square) if _takes(_gains(_then(after, killer)), square) else None


def _for_piece(
    before: chess.Board,
    after: chess.Board,
    best: chess.Move,
    killer: chess.Move,
    *,
    works: bool,
) -> Point | None:
    """The same if the killer takes a piece that stood there before."""
    square, gains = killer.to_square, _gains(after)
    victim = before.piece_type_at(square)
    if best.from_square == square:
        return None if _takes(gains, best.to_square) else Point("saves", victim)
    if best.to_square == killer.from_square:
        return Point("takes", victim)
    if not works:
        blocks = best.to_square in chess.SquareSet.between(killer.from_square, square)
        return Point("blocks", victim) if blocks else None
    guards = square in after.attacks(best.to_square) and square not in before.attacks(best.from_square)
    return Point("guards", victim, square) if guards and not _takes(gains, square) else None


def _then(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy(stack=False)
    board.push(move)
    return board


def _gains(board: chess.Board) -> Mapping[str, int]:
    """What each capture of the side to move wins, centipawns."""
    return dict(_native.exchanges(board.fen()))


def _takes(gains: Mapping[str, int], square: chess.Square) -> bool:
    """Whether a capture on the square wins something."""
    return any(gain >= _PAWN and uci[2:4] == chess.square_name(square) for uci, gain in gains.items())
