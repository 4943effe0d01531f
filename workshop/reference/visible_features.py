"""Features of a move that need no look at its replies one by one."""

from dataclasses import dataclass
from enum import IntEnum

import chess

from workshop.reference.attacker_view import (
    CENTIPAWNS,
    AttackerView,
    Offset,
    Orientation,
    after,
    captured,
    cheapest,
    ends,
    king_of,
    mover,
    see,
)


class Check(IntEnum):
    """How a move gives check."""

    NONE = 0
    DIRECT = 1
    DISCOVERED = 2
    """By another piece than the one that moved; by the rook in castling, too."""
    DOUBLE = 3


class Novelty(IntEnum):
    """Whether the move could have been played if the victim had passed instead of playing the bait."""

    UNKNOWN = 0
    """There is no bait, or passing was not possible."""
    OLD = 1
    """It could, and to the same effect."""
    SHARPER = 2
    """It could, but would have taken something else or not have given check."""
    UNGUARDED = 3
    """It could, but another piece, or none, would have been the cheapest to guard the square."""
    NEW = 4
    """It could not."""


class Place(IntEnum):
    """Where the move goes, in relation to the bait."""

    ELSEWHERE = 0
    LEFT = 1
    """Onto the square that the bait's piece left, or across it."""
    BAIT = 2
    """Takes on the square that the bait's piece stands on."""


@dataclass(frozen=True)
class PawnRun:
    """A pawn's way to promotion, after its move."""

    steps: int
    """Ranks that are left, 1 to 5."""
    passed: bool
    """No enemy pawn stands in its way or beside it."""
    escapes: bool
    """The victim's king, which is to move, is too far away to catch it (the rule of the square)."""
    blocked: bool
    """A piece stands right before it."""


@dataclass(frozen=True)
class MoveFeatures:
    """Features of one move of the attacker."""

    move: chess.Move
    next: chess.Board
    """The position after it."""
    replies: tuple[chess.Move, ...]
    piece: chess.PieceType
    """The piece after the move: what a pawn was promoted to."""
    captured: int
    promotes: bool
    check: Check
    offset: Offset
    """From the victim's king to the target square."""
    attacker: int
    """Cheapest piece of the victim that attacks the target square, pinned or not."""
    defended: bool
    """Does a piece of the attacker stand behind it?"""
    recapturer: int
    """Cheapest piece that can legally take on the target square."""
    exchange: int
    """Centipawns of the exchange on the target square."""
    king_replies: int
    """Moves of the victim's king among the replies, castling included."""
    novelty: Novelty
    place: Place
    targets: frozenset[chess.PieceType]
    """The victim's pieces that the moved piece attacks and that are unguarded or worth more than itself; the king."""
    hanging: int
    """Centipawns that the victim's best capture or promotion gains next, 0 or more."""
    runner: PawnRun | None
    """For a pawn that does not promote at once."""

    @property
    def mates(self) -> bool:
        """Does the move mate?"""
        return self.check != Check.NONE and not self.replies


def visible_features(position: AttackerView) -> list[MoveFeatures]:
    """Features of all moves of a position, in the order of the turned board."""
    return [
        _features(position, move) for move in position.orientation.in_order(position.board, position.board.legal_moves)
    ]


def _features(position: AttackerView, move: chess.Move) -> MoveFeatures:
    board, orientation = position.board, position.orientation
    attacker, victim = board.turn, not board.turn
    next = after(board, move)
    replies = tuple(next.legal_moves)
    target = ends(board, move)[1]
    piece = move.promotion or mover(board, move)
    takes_back = [reply.from_square for reply in replies if next.is_capture(reply) and reply.to_square == target]
    loud = [reply for reply in replies if next.is_capture(reply) or reply.promotion]
    check = _check(next, target)
    novelty, place = _relation(position, move, next, check)
    return MoveFeatures(
        move=move,
        next=next,
        replies=replies,
        piece=piece,
        captured=captured(board, move),
        promotes=move.promotion is not None,
        check=check,
        offset=orientation.offset(king_of(board, victim), target),
        attacker=cheapest(next, next.attackers(victim, target)),
        defended=bool(next.attackers(attacker, target)),
        recapturer=cheapest(next, takes_back),
        exchange=see(board, move, orientation),
        king_replies=sum(mover(next, reply) == chess.KING for reply in replies),
        novelty=novelty,
        place=place,
        targets=_targets(next, target, piece),
        hanging=max((0, *(see(next, reply, orientation) for reply in loud))),
        runner=_runner(next, target, orientation) if piece == chess.PAWN else None,
    )


def _check(next: chess.Board, target: chess.Square) -> Check:
    checkers = next.checkers()
    if len(checkers) > 1:
        return Check.DOUBLE
    if not checkers:
        return Check.NONE
    return Check.DIRECT if target in checkers else Check.DISCOVERED


def _targets(next: chess.Board, target: chess.Square, piece: chess.PieceType) -> frozenset[chess.PieceType]:
    victim = next.turn

    def exposed(square: chess.Square, role: chess.PieceType) -> bool:
        dear = role == chess.KING or CENTIPAWNS[role] > CENTIPAWNS[piece] + 50
        return dear or not next.attackers(victim, square)

    found = [(square, next.piece_at(square)) for square in next.attacks(target)]
    return frozenset(p.piece_type for s, p in found if p and p.color == victim and exposed(s, p.piece_type))


def _runner(next: chess.Board, target: chess.Square, orientation: Orientation) -> PawnRun:
    at = orientation.square(target)
    file, rank = chess.square_file(at), chess.square_rank(at)
    steps = 7 - rank
    enemies = [orientation.square(square) for square in next.pieces(chess.PAWN, next.turn)]
    king = orientation.square(king_of(next, next.turn))
    from_corner = max(abs(chess.square_file(king) - file), 7 - chess.square_rank(king))
    return PawnRun(
        steps=steps,
        passed=all(abs(chess.square_file(e) - file) > 1 or chess.square_rank(e) <= rank for e in enemies),
        escapes=from_corner - 1 > steps,
        blocked=next.piece_at(orientation.square(at + 8)) is not None,
    )


def _relation(position: AttackerView, move: chess.Move, next: chess.Board, check: Check) -> tuple[Novelty, Place]:
    bait, board = position.bait, position.board
    if bait is None:
        return Novelty.UNKNOWN, Place.ELSEWHERE
    start, end = ends(board, move)
    if board.is_capture(move) and move.to_square == bait.end:
        place = Place.BAIT
    elif end == bait.start or bait.start in chess.SquareSet.between(start, end):
        place = Place.LEFT
    else:
        place = Place.ELSEWHERE
    passed = bait.passed
    if passed is None:
        return Novelty.UNKNOWN, place
    if not passed.is_legal(move) or mover(passed, move) != mover(board, move):
        return Novelty.NEW, place
    earlier = after(passed, move)
    if captured(passed, move) != captured(board, move) or earlier.is_check() != next.is_check():
        return Novelty.SHARPER, place
    guards = [cheapest(one, one.attackers(next.turn, end)) for one in (earlier, next)]
    return (Novelty.OLD if guards[0] == guards[1] else Novelty.UNGUARDED), place
