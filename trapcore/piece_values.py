"""Values of the chess pieces in pawns; the core has the same in ``native/src/chess/piece_values.rs``."""

from collections.abc import Mapping
from typing import Final

import chess

POINTS: Final[Mapping[chess.PieceType, int]] = {
    chess.PAWN: 1,
    chess.KNIGHT: 3,
    chess.BISHOP: 3,
    chess.ROOK: 5,
    chess.QUEEN: 9,
    chess.KING: 10,
}
"""Values in pawns as players count them; the king stands above all others, so that it can be compared with them."""
