"""Tic-tac-toe: X begins, three in a row win, a full board without them is a draw.

Source: the rules are common knowledge; squares are named as in Evans & Turrini, Figure 2 (``B2`` is the centre).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from workshop.games.rules.grid import EMPTY, Board, Grid

_THREES = (
    *((row, row + 1, row + 2) for row in (0, 3, 6)),
    *((file, file + 3, file + 6) for file in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


def _has_three(cells: str, player: str) -> bool:
    return any(cells[a] == cells[b] == cells[c] == player for a, b, c in _THREES)


@dataclass(frozen=True, slots=True)
class TicTacToe:
    """The `BundledGame` of tic-tac-toe. A move is the index of a square, row by row from the top."""

    name: ClassVar[str] = "tic-tac-toe"
    labelling: ClassVar[str] = "squares, 3x3"
    _grid: ClassVar[Grid] = Grid(name, 3, "XO")

    def start(self) -> Board:
        """The empty board, X to move."""
        return Board(EMPTY * 9, "X")

    def parse(self, text: str) -> Board:
        """The position of a text like ``X.O/.X./X.O o``: rows 3, 2, 1, and who moves.

        Either player may have begun. Raises ``PositionError`` for a bad text, for numbers of marks that alternate
        moves cannot give, and where the player to move has three in a row already.
        """
        board = self._grid.read_all(text)
        waiting = self._grid.other(board.to_move)
        own, theirs = board.cells.count(board.to_move), board.cells.count(waiting)
        if not own <= theirs <= own + 1:
            raise self._grid.error(f"{own} {board.to_move} and {theirs} {waiting}, {board.to_move} to move", text)
        if _has_three(board.cells, board.to_move):
            raise self._grid.error(f"{board.to_move} has won and is to move", text)
        return board

    def text(self, position: Board) -> str:
        """The position in the notation of `parse`."""
        return self._grid.write(position)

    def moves(self, position: Board) -> Sequence[int]:
        """The empty squares, row by row from the top; none if the game is over."""
        if _has_three(position.cells, self._grid.other(position.to_move)):
            return []
        return [index for index, cell in enumerate(position.cells) if cell == EMPTY]

    def play(self, position: Board, move: int) -> Board:
        """The position with one mark more."""
        cells = position.cells
        return Board(cells[:move] + position.to_move + cells[move + 1 :], self._grid.other(position.to_move))

    def reward(self, position: Board) -> float | None:
        """1.0 for three in a row, which only the last mover can have; 0.0 for a full board; None otherwise."""
        if _has_three(position.cells, self._grid.other(position.to_move)):
            return 1.0
        return None if EMPTY in position.cells else 0.0

    def label(self, position: Board, move: int) -> str:
        """The square: ``A1`` to ``C3``. X on a square and O on it have one label, as in the paper."""
        return self._grid.square(move).upper()

    def irreversible(self, position: Board, move: int) -> str:
        """Empty: nothing is ever taken off the board."""
        return ""
