"""The board of a game from lichess's list of moves."""

import chess

from lichess.api import USUAL_START, GameInfo
from trapcore.errors import InputError
from trapcore.trees.chess_game import parse_position


class GameBoard:
    """Rebuilds the board from the whole list each time, quickly where the list only grew."""

    def __init__(self, info: GameInfo) -> None:
        """Raises `PositionError` for a first position that is none."""
        self._start = first_position(info)
        self._board = self._start.copy()
        self._moves: tuple[str, ...] = ()

    def after(self, moves: tuple[str, ...]) -> chess.Board:
        """A board of its own with ``moves`` on it. Raises `InputError` for a move that is not legal."""
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


def first_position(info: GameInfo) -> chess.Board:
    """The board before the first move; castling is written as the variant does. Raises `PositionError`."""
    chess960 = info.variant == "chess960"
    if info.initial_fen == USUAL_START:
        return chess.Board(chess960=chess960)
    parse_position(info.initial_fen)
    return chess.Board(info.initial_fen, chess960=chess960)
