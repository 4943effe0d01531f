"""Values of the chess pieces, each scale in one place.

The core has the same two in ``native/src/chess/piece_values.rs``; the weights of its evaluation were fitted and are
another matter.
"""

from collections.abc import Mapping
from typing import Final

import chess

CENTIPAWNS: Final[Mapping[chess.PieceType, int]] = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 20_000,
}
"""Values in centipawns by which exchanges are counted; no exchange of a king can pay."""

POINTS: Final[Mapping[chess.PieceType, int]] = {
    chess.PAWN: 1,
    chess.KNIGHT: 3,
    chess.BISHOP: 3,
    chess.ROOK: 5,
    chess.QUEEN: 9,
    chess.KING: 10,
}
"""Values in pawns as players count them; the king stands above all others, so that it can be compared with them."""
