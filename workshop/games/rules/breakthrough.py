"""Breakthrough: two ranks of men each, always forward; a player who reaches the far rank or takes every man wins.

Source: W. D. Troyka's rules of 2000, winner of the 8x8 Game Design Competition of 2001 (Abstract Games 7; the
rules at Little Golem). A man goes one square straight or diagonally forward onto an empty square, and takes diagonally
only. A capture is never compulsory. White, who begins here, has the lower ranks; the original lets the players choose.

There are no draws, and nobody is ever without a move while the game goes on: next to the foremost man of a player, the
diagonal squares ahead hold no man of his own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trapcore.errors import UsageError
from workshop.games.rules.grid import EMPTY, Board, Grid

WHITE, BLACK = "W", "B"


@dataclass(frozen=True, slots=True)
class Breakthrough:
    """The `workshop.games.rules.BundledGame` of Breakthrough on a square board of 5 to 8 ranks; ``UsageError`` for
    others.

    A move is a pair of indices, from and to, row by row from the top.
    """

    size: int = 8

    def __post_init__(self) -> None:
        """Refuse other sizes."""
        if not 5 <= self.size <= 8:
            raise UsageError(f"Breakthrough is played on 5 to 8 ranks here, not {self.size}")

    @property
    def name(self) -> str:
        """``breakthrough`` on 8x8, otherwise with the board's size: ``breakthrough-6x6``."""
        return "breakthrough" if self.size == 8 else f"breakthrough-{self.size}x{self.size}"

    @property
    def labelling(self) -> str:
        """``from-to`` and the board's size. On 8x8 that is chess's in UCI: a label names a man's way on one board."""
        return f"from-to, {self.size}x{self.size}"

    @property
    def _grid(self) -> Grid:
        return Grid(self.name, self.size, WHITE + BLACK)

    def start(self) -> Board:
        """Both players' first two ranks full, White to move."""
        men, gap = 2 * self.size, (self.size - 4) * self.size
        return Board(BLACK * men + EMPTY * gap + WHITE * men, WHITE)

    def parse(self, text: str) -> Board:
        """The position of a text like ``BBBBB/BBBBB/...../WWWWW/WWWWW w``: rows from the top, and who moves.

        Raises ``PositionError`` for a bad text, and if the player to move has won already.
        """
        board = self._grid.read_all(text)
        if self._has_won(board.cells, board.to_move):
            raise self._grid.error(f"{board.to_move} has won and is to move", text)
        return board

    def text(self, position: Board) -> str:
        """The position in the notation of `parse`."""
        return self._grid.write(position)

    def moves(self, position: Board) -> Sequence[tuple[int, int]]:
        """From and to, man by man from the top left, each man's moves from left to right; none if the game is over."""
        cells, mover, size = position.cells, position.to_move, self.size
        if self.reward(position) is not None:
            return []
        ahead = -size if mover == WHITE else size
        found: list[tuple[int, int]] = []
        for start, cell in enumerate(cells):
            if cell != mover:
                continue
            # The far rank is never a man's start: the game would be over.
            if start % size > 0 and cells[start + ahead - 1] != mover:
                found.append((start, start + ahead - 1))
            if cells[start + ahead] == EMPTY:
                found.append((start, start + ahead))
            if start % size < size - 1 and cells[start + ahead + 1] != mover:
                found.append((start, start + ahead + 1))
        return found

    def play(self, position: Board, move: tuple[int, int]) -> Board:
        """The position with the man on its new square, in place of what stood there."""
        start, end = move
        cells = list(position.cells)
        cells[start], cells[end] = EMPTY, position.to_move
        return Board("".join(cells), BLACK if position.to_move == WHITE else WHITE)

    def reward(self, position: Board) -> float | None:
        """1.0 if the last move has won, None otherwise; no move loses, and there are no draws."""
        waiting = BLACK if position.to_move == WHITE else WHITE
        return 1.0 if self._has_won(position.cells, waiting) else None

    def label(self, position: Board, move: tuple[int, int]) -> str:
        """From-square and to-square: ``a2b3``."""
        grid = self._grid
        return grid.square(move[0]) + grid.square(move[1])

    def irreversible(self, position: Board, move: tuple[int, int]) -> str:
        """``P`` for a captured man, as for chess's pawn; empty if nothing is captured."""
        return "" if position.cells[move[1]] == EMPTY else "P"

    def _has_won(self, cells: str, player: str) -> bool:
        far, opponent = (cells[: self.size], BLACK) if player == WHITE else (cells[-self.size :], WHITE)
        return player in far or opponent not in cells
