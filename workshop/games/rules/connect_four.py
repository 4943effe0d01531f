"""Connect Four: discs fall into seven files of six squares, four in a row win, a full board without them is a draw.

Source: the rules are common knowledge; J. D. Allen, "The Complete Book of Connect 4", 2010, has them with the notation
of files as letters. X begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from workshop.games.rules.grid import EMPTY, FILES, Board, Grid

WIDTH: Final = 7
HEIGHT: Final = 6


def _lines() -> tuple[tuple[int, ...], ...]:
    """The squares of every four in a row."""
    found = []
    for row in range(HEIGHT):
        for file in range(WIDTH):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                squares = [(row + n * down, file + n * right) for n in range(4)]
                if all(0 <= y < HEIGHT and 0 <= x < WIDTH for y, x in squares):
                    found.append(tuple(y * WIDTH + x for y, x in squares))
    return tuple(found)


_FOURS: Final = _lines()


def _has_four(cells: str, player: str) -> bool:
    return any(all(cells[square] == player for square in four) for four in _FOURS)


@dataclass(frozen=True, slots=True)
class ConnectFour:
    """The `BundledGame` of Connect Four on 7 files and 6 rows. A move is the number of a file, from the left."""

    name: ClassVar[str] = "connect-four"
    labelling: ClassVar[str] = "files, 7x6"
    _grid: ClassVar[Grid] = Grid(name, HEIGHT, "XO", WIDTH)

    def start(self) -> Board:
        """The empty board, X to move."""
        return Board(EMPTY * WIDTH * HEIGHT, "X")

    def parse(self, text: str) -> Board:
        """The position of a text like ``......./......./......./......./.O...../.XX.... o``: rows from the top, then
        who moves.

        Either player may have begun. Raises ``PositionError`` for a bad text, for numbers of discs that alternate
        moves cannot give, for a disc over an empty square, and where the player to move has four in a row already.
        """
        board = self._grid.read_all(text)
        waiting = self._grid.other(board.to_move)
        own, theirs = board.cells.count(board.to_move), board.cells.count(waiting)
        if not own <= theirs <= own + 1:
            raise self._grid.error(f"{own} {board.to_move} and {theirs} {waiting}, {board.to_move} to move", text)
        for square, cell in enumerate(board.cells[:-WIDTH]):
            if cell != EMPTY and board.cells[square + WIDTH] == EMPTY:
                raise self._grid.error(f"the disc on {self._grid.square(square)} has nothing under it", text)
        if _has_four(board.cells, board.to_move):
            raise self._grid.error(f"{board.to_move} has won and is to move", text)
        return board

    def text(self, position: Board) -> str:
        """The position in the notation of `parse`."""
        return self._grid.write(position)

    def moves(self, position: Board) -> Sequence[int]:
        """The files that are not full, from the left; none if the game is over."""
        if _has_four(position.cells, self._grid.other(position.to_move)):
            return []
        return [file for file in range(WIDTH) if position.cells[file] == EMPTY]

    def play(self, position: Board, move: int) -> Board:
        """The position with a disc on the lowest empty square of a file."""
        cells = position.cells
        square = max(square for square in range(move, len(cells), WIDTH) if cells[square] == EMPTY)
        return Board(cells[:square] + position.to_move + cells[square + 1 :], self._grid.other(position.to_move))

    def reward(self, position: Board) -> float | None:
        """1.0 for four in a row, which only the last mover can have; 0.0 for a full board; None otherwise."""
        if _has_four(position.cells, self._grid.other(position.to_move)):
            return 1.0
        return None if EMPTY in position.cells else 0.0

    def label(self, position: Board, move: int) -> str:
        """The file: ``a`` to ``g``. X in a file and O in it have one label, on any square."""
        return FILES[move]

    def irreversible(self, position: Board, move: int) -> str:
        """Empty: nothing is ever taken off the board."""
        return ""
