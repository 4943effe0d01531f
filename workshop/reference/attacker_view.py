"""Position as the attacker sees it: the bait that led to it, the turned board, static exchange evaluation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import chess

from trapcore.errors import PositionError
from trapcore.trees.chess_game import parse_position

NOTHING = 0
"""Stands where there is no piece."""

Offset = tuple[int, int]
"""Files to the right and ranks upwards, each -7 to 7."""

CENTIPAWNS: Final[Mapping[chess.PieceType, int]] = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 20_000,
}
"""Values in centipawns by which exchanges are counted; no exchange of a king can pay."""


@dataclass(frozen=True)
class Orientation:
    """Orientation of the board: the attacker's pawns go up, the victim's king stands on the right half."""

    attacker: chess.Color
    flipped: bool

    @classmethod
    def of(cls, board: chess.Board, attacker: chess.Color) -> "Orientation":
        """The orientation for this attacker; ``board`` has both kings."""
        return cls(attacker, chess.square_file(king_of(board, not attacker)) < 4)

    def square(self, square: chess.Square) -> chess.Square:
        """The square as it stands on the turned board; or back, because turning twice changes nothing."""
        if self.attacker == chess.BLACK:
            square = chess.square_mirror(square)
        return square ^ 7 if self.flipped else square

    def offset(self, start: chess.Square, end: chess.Square) -> Offset:
        """Where ``end`` lies from ``start`` on the turned board."""
        start, end = self.square(start), self.square(end)
        return (
            chess.square_file(end) - chess.square_file(start),
            chess.square_rank(end) - chess.square_rank(start),
        )

    def in_order(self, board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
        """The moves in the order of the turned board, castling after a king's step to the same square."""

        def place(move: chess.Move) -> tuple[int, ...]:
            start, end = ends(board, move)
            return self.square(start), self.square(end), move.promotion or NOTHING, board.is_castling(move)

        return sorted(moves, key=place)

    def turned(self, board: chess.Board) -> chess.Board:
        """The position with the attacker as White, and mirrored left to right if it is flipped and castling, which has
        no mirror image, is over."""
        board = board.copy(stack=False) if self.attacker == chess.WHITE else board.mirror()
        if self.flipped and not board.castling_rights:
            board = board.transform(chess.flip_horizontal)
        return board


@dataclass(frozen=True)
class Bait:
    """The bait as the attacker's moves relate to it."""

    start: chess.Square
    end: chess.Square
    """Where its piece stands; after castling the square that the rook came from."""
    passed: chess.Board | None
    """The position before it with the attacker to move; None if the victim was in check, so that it could not pass, or
    if that position is not known."""


@dataclass(frozen=True)
class AttackerView:
    """A position with the attacker to move, and the bait that led to it if it is known.

    Its boards are in Chess960 mode, in which castling is the king's move to the rook.
    """

    board: chess.Board
    orientation: Orientation
    bait: Bait | None = None
    writes_chess960: bool = False
    """Is castling written as the king's move to the rook?"""

    def uci(self, move: chess.Move) -> str:
        """A move of the position as the core writes it."""
        return self.board.uci(move, chess960=self.writes_chess960)


def attacker_view(fen: str, bait: str | None = None) -> AttackerView:
    """The attacker's view of a position and, if known, of the bait (UCI).

    ``fen`` is the position before the bait if the bait is legal there, else the one after it, of which only the bait's
    squares are known. Raises ``PositionError`` for a position that is not legal and a bait that fits neither way.
    """
    board = parse_position(fen)
    writes_chess960, board.chess960 = board.chess960, True
    if bait is None:
        return AttackerView(board, Orientation.of(board, board.turn), None, writes_chess960)
    try:
        move = board.parse_uci(bait)
    except ValueError:
        move = chess.Move.null()
    if not move:
        return AttackerView(board, Orientation.of(board, board.turn), _by_squares(board, bait), writes_chess960)
    passed = board.copy(stack=False)
    passed.turn, passed.ep_square = not board.turn, None
    known = Bait(move.from_square, move.to_square, None if passed.was_into_check() else passed)
    board = after(board, move)
    return AttackerView(board, Orientation.of(board, board.turn), known, writes_chess960)


def _by_squares(board: chess.Board, bait: str) -> Bait:
    illegal = PositionError(f"{bait} is not a legal move in {board.fen()!r}", board.fen())
    try:
        move = chess.Move.from_uci(bait)
    except ValueError:
        raise illegal from None
    if board.color_at(move.to_square) is not (not board.turn) or board.piece_at(move.from_square):
        raise illegal
    return Bait(move.from_square, move.to_square, None)


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """A new board on which ``move`` was made."""
    board = board.copy(stack=False)
    board.push(move)
    return board


def king_of(board: chess.Board, colour: chess.Color) -> chess.Square:
    """Where the king stands; a legal position has both."""
    king = board.king(colour)
    assert king is not None
    return king


def ends(board: chess.Board, move: chess.Move) -> tuple[chess.Square, chess.Square]:
    """Where a piece comes from and goes to; castling is the king's move."""
    if not board.is_castling(move):
        return move.from_square, move.to_square
    file = 6 if move.to_square > move.from_square else 2
    return move.from_square, chess.square(file, chess.square_rank(move.from_square))


def mover(board: chess.Board, move: chess.Move) -> chess.PieceType:
    """The piece that moves, a pawn if it promotes."""
    piece = board.piece_type_at(move.from_square)
    assert piece is not None
    return piece


def captured(board: chess.Board, move: chess.Move) -> int:
    """The piece that the move takes, `NOTHING` if none."""
    if not board.is_capture(move):
        return NOTHING
    # The square that a pawn taken en passant stands on is not the one that is moved to.
    return board.piece_type_at(move.to_square) or chess.PAWN


def material_gain(board: chess.Board, move: chess.Move) -> int:
    """Centipawns that the move takes off the board or adds by promotion."""
    taken = captured(board, move)
    added = CENTIPAWNS[move.promotion] - CENTIPAWNS[chess.PAWN] if move.promotion else 0
    return (CENTIPAWNS[taken] if taken else 0) + added


def cheapest(board: chess.Board, squares: Iterable[chess.Square]) -> int:
    """The cheapest kind of piece on the squares, `NOTHING` if there is none."""
    return min((board.piece_type_at(square) or NOTHING for square in squares), default=NOTHING)


def see(board: chess.Board, move: chess.Move, orientation: Orientation) -> int:
    """Static exchange evaluation of ``move``, in centipawns for the side that makes it.

    What the move gains, less what the best captures on its target square gain that follow, cheapest piece first, each
    side free to stop. Pins are not examined; a king takes only what is not guarded any more. Among pieces of one kind
    the first on the turned board takes first, which can matter if another piece stands behind it. Castling is worth 0.
    """
    if board.is_castling(move):
        return 0
    target = move.to_square
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square]
    if board.is_en_passant(move):
        rank = chess.square_rank(move.from_square)
        occupied &= ~chess.BB_SQUARES[chess.square(chess.square_file(target), rank)]

    def best(side: chess.Color, standing: int, occupied: int) -> int:
        """What ``side`` gains by taking the piece on the target square, worth ``standing``, or by not taking it."""
        guards = chess.SquareSet(board.attackers_mask(side, target, occupied) & occupied)
        if not guards:
            return 0
        first = min(guards, key=lambda square: (board.piece_type_at(square), orientation.square(square)))
        piece = board.piece_type_at(first) or NOTHING
        if piece == chess.KING and board.attackers_mask(not side, target, occupied) & occupied:
            return 0
        return max(0, standing - best(not side, CENTIPAWNS[piece], occupied & ~chess.BB_SQUARES[first]))

    moved = move.promotion or mover(board, move)
    return material_gain(board, move) - best(not board.turn, CENTIPAWNS[moved], occupied)
