"""Board of a game from lichess's list of moves."""

import chess
import chess.variant

from bot.settings import Variant, has_other_rules
from lichess.api import USUAL_START, GameInfo
from trapcore.errors import InputError, PositionError
from trapcore.trees.chess_game import parse_position


class GameBoard:
    """Board for a growing list of moves; only the new moves are played if the list has grown."""

    def __init__(self, info: GameInfo) -> None:
        """Raises `PositionError` for an invalid initial position, `InputError` for a variant that is not played."""
        self._start = first_position(info.variant, info.initial_fen)
        self._board = self._start.copy()
        self._moves: tuple[str, ...] = ()

    def after(self, moves: tuple[str, ...]) -> chess.Board:
        """New board after ``moves``. Raises `InputError` for a move that is not legal."""
        known = len(self._moves)
        if moves[:known] != self._moves:
            self._board, self._moves, known = self._start.copy(), (), 0
        for uci in moves[known:]:
            try:
                self._board.push_uci(uci)
            except ValueError as error:
                self._board, self._moves = self._start.copy(), ()
                raise InputError(f"lichess sent a move that is not legal: {uci} in {' '.join(moves)}") from error
        self._moves = moves
        return self._board.copy()


def first_position(variant: str, fen: str) -> chess.Board:
    """Board before the first move. Raises `PositionError`, and `InputError` for a variant that is not played.

    It is in Chess960 mode in that variant, and in any other if only that mode knows where kings and rooks may castle.
    """
    if variant not in set(Variant):
        raise InputError(f"the variant {variant} is not played")
    if has_other_rules(variant):
        kind = chess.variant.find_variant(variant)
        try:
            return kind() if fen == USUAL_START else kind(fen)
        except ValueError as error:
            raise PositionError(f"lichess sent no position of {variant}: {error}", fen) from error
    chess960 = variant == Variant.CHESS960
    if fen == USUAL_START:
        return chess.Board(chess960=chess960)
    board = parse_position(fen)
    board.chess960 = board.chess960 or chess960
    return board
