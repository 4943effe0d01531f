"""Chess as a game of `trapcore.trees.tree`, on python-chess: the slow twin of the Rust core, and the one that defines
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import chess

from trapcore import _native
from trapcore.errors import Message, PositionError
from trapcore.trees.tree import Tree, local_tree

REFUSED = (
    chess.STATUS_EMPTY
    | chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
)
"""What no game goes on from."""

MOST_MEN = 16
"""Most men of a side."""
MOST_QUEENS = 9
"""Most queens of a side, with the pawns that may become queens: no move can add to them."""


class Labels(StrEnum):
    """How a chess move is named inside a measure."""

    UCI = "uci"
    """From-square, to-square, promotion: ``e7e8q``. Castling is ``e1g1``, in Chess960 king takes rook."""
    SAN = "san"
    """SAN without ``x``, ``+`` and ``#``: ``Nbd2``, ``ed5``, ``e8=Q``, ``O-O``."""


def parse_position(fen: str) -> chess.Board:
    """The position of a FEN or of an EPD without operations; raises ``PositionError`` if it cannot be played on.

    The text may be the address of a board on lichess, have underscores for spaces, or lack the castling rights.

    Problems and database positions are taken as they are: a promoted piece too many or a check that no move can have
    given is no error, and a castling right without its rook or an impossible en passant square is dropped. More than
    `MOST_MEN` or `MOST_QUEENS` of a side are refused: no search of such a position comes to an end. The board is in
    Chess960 mode only if its castling rights need that, which decides how castling is written.
    """
    return _parsed(fen).copy()


def epd_after(epd: str, uci: str) -> str:
    """The position after a move (UCI) of another one, both as canonical EPD; raises ``PositionError`` as
    `parse_position` does, and ``ValueError`` for a move that is not legal."""
    board = parse_position(epd)
    board.push_uci(uci)
    return _native.epd(board.fen())


@lru_cache(maxsize=1024)  # a copy takes a tenth of the time
def _parsed(fen: str) -> chess.Board:
    try:
        # In Chess960 mode first: standard mode would drop the rights of a king or rook that starts elsewhere.
        board = chess.Board(_native.plain_fen(fen), chess960=True)
    except ValueError as error:
        raise PositionError("not a FEN: {fault}", fen, fault=str(error)) from error
    status = board.status()
    if status & REFUSED:
        flags = status & REFUSED
        raise _illegal(fen, *(Message(flag.name.lower().replace("_", " ")) for flag in flags if flag.name))
    for color, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        own = board.occupied_co[color]
        if own.bit_count() > MOST_MEN:
            raise _illegal(fen, Message("{side} has more than {most} men", {"side": Message(side), "most": MOST_MEN}))
        if (own & (board.queens | board.pawns)).bit_count() > MOST_QUEENS:
            raise _illegal(
                fen,
                Message(
                    "{side} has more than {most} queens and pawns together",
                    {"side": Message(side), "most": MOST_QUEENS},
                ),
            )
    board.castling_rights = board.clean_castling_rights()
    if status & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    board.chess960 = board.has_chess960_castling_rights()
    return board


def _illegal(fen: str, *reasons: Message) -> PositionError:
    return PositionError("not a legal position: {reasons}: {text!r}", fen, reasons=reasons, text=fen)


@dataclass(frozen=True, slots=True)
class ChessGame:
    """The `Game` of chess. Positions are boards, which are never changed; moves are python-chess's."""

    labels: Labels = Labels.UCI

    def moves(self, position: chess.Board) -> Sequence[chess.Move]:
        """The legal moves in the order of python-chess, which is the same for equal positions."""
        return list(position.legal_moves)

    def play(self, position: chess.Board, move: chess.Move) -> chess.Board:
        """A new board after ``move``."""
        after = position.copy(stack=False)
        after.push(move)
        return after

    def reward(self, position: chess.Board) -> float | None:
        """1.0 for checkmate; 0.0 for stalemate and for insufficient material; None while the game goes on.

        Draws that need the history of the game (repetition) or a claim (50 moves) do not count, nor does the 75-move
        rule, so that positions with one EPD have one reward. Without mating material the game is over although there
        are moves on the board: they stay in `moves` and in the local tree, as in the Rust core.
        """
        if not any(position.legal_moves):
            return 1.0 if position.is_check() else 0.0
        return 0.0 if position.is_insufficient_material() else None

    def label(self, position: chess.Board, move: chess.Move) -> str:
        """The name of the move by `Labels`."""
        if self.labels is Labels.UCI:
            return position.uci(move)
        return position.san(move).replace("x", "").rstrip("+#")

    def irreversible(self, position: chess.Board, move: chess.Move) -> str:
        """The captured piece as an upper-case letter, ``P`` for en passant too; empty if nothing is captured."""
        if not position.is_capture(move):
            return ""
        # The to-square of an en passant capture is empty.
        captured = position.piece_type_at(move.to_square) or chess.PAWN
        return chess.piece_symbol(captured).upper()


def chess_tree(fen: str, depth: int, labels: Labels = Labels.UCI, *, captures: bool = False) -> Tree:
    """The local tree of a chess position: all its lines of up to ``depth`` plies. Raises ``PositionError``."""
    return local_tree(ChessGame(labels), parse_position(fen), depth, captures=captures)
