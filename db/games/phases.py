"""Phase of a game by its ply and its material."""

import chess

from trapcore.piece_values import POINTS

PHASES = ("opening", "middlegame", "endgame")

OPENING_PLIES = 20

ENDGAME_MATERIAL = 24
"""Both sides' pieces in an endgame are worth no more than this, in pawns, kings and pawns left out."""


def phase_of(board: chess.Board, ply: int, *, usual_start: bool) -> str:
    """Phase, of `PHASES`, of the position before the move at ``ply`` (from 1) of a game.

    A game that does not begin with the usual position has no opening.
    """
    if ply <= OPENING_PLIES and usual_start:
        return "opening"
    kinds = (piece.piece_type for piece in board.piece_map().values())
    material = sum(POINTS[kind] for kind in kinds if kind not in (chess.PAWN, chess.KING))
    return "endgame" if material <= ENDGAME_MATERIAL else "middlegame"
