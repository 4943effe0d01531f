"""The squares of a board, and the notation that the bundled games share.

A position is written like the first fields of a FEN: the rows from the top one down, separated by ``/``, a letter for
a piece and ``.`` for an empty square; then, after a space, the letter of the player to move. Capitals do not matter.
"""

from dataclasses import dataclass

from trapcore.errors import PositionError, UsageError

EMPTY = "."
FILES = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Board:
    """A position that is nothing but its board and the player to move."""

    cells: str
    """A letter for each square, row by row from the top."""
    to_move: str
    """The letter of the player whose turn it is."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The board of one game: ``size`` rows of as many squares, or of ``width``; and the letters of its two players."""

    game: str
    """The name of the game, for error messages."""
    size: int
    """1..8 squares: a letter for every file."""
    players: str
    """Two capital letters; the player who begins is the first."""
    width: int = 0
    """1..8 squares of a row; 0 for as many as there are rows."""

    def __post_init__(self) -> None:
        """Refuse a board that runs out of letters."""
        if not 1 <= self.size <= len(FILES):
            raise UsageError(f"{self.game}: a board has 1 to {len(FILES)} rows, not {self.size}")

    @property
    def files(self) -> int:
        """The number of squares in a row."""
        return self.width or self.size

    def square(self, index: int) -> str:
        """The name of a square, ``a1`` at the lower left, from its index in the cells."""
        return f"{FILES[index % self.files]}{self.size - index // self.files}"

    def other(self, player: str) -> str:
        """The opponent's letter."""
        return self.players[1 - self.players.index(player)]

    def write(self, board: Board) -> str:
        """The notation of a board."""
        rows = (board.cells[i : i + self.files] for i in range(0, len(board.cells), self.files))
        return f"{'/'.join(rows)} {board.to_move.lower()}"

    def error(self, complaint: str, text: str) -> PositionError:
        """The error for a position that is not one; names the game and quotes the text."""
        return PositionError(f"not a position of {self.game}: {complaint}: {text!r}", text)

    def read(self, text: str) -> tuple[Board, list[str]]:
        """The board that ``text`` shows, and the words after it, in lower case.

        Raises ``PositionError`` that names the row or square which is wrong. Whether the game can come to such a
        board is for the game to check.
        """
        words = text.split()
        if not words:
            raise self.error("it is empty", text)
        rows = words[0].upper().split("/")
        if len(rows) != self.size:
            raise self.error(f"not {self.size} rows but {len(rows)}", text)
        for number, row in zip(range(self.size, 0, -1), rows, strict=True):
            if len(row) != self.files:
                raise self.error(f"row {number} has not {self.files} squares but {len(row)}", text)
        cells = "".join(rows)
        known = self.players + EMPTY
        for index, letter in enumerate(cells):
            if letter not in known:
                raise self.error(f"{letter!r} on {self.square(index)} is none of {' '.join(known)}", text)
        if len(words) < 2 or len(words[1]) != 1 or words[1].upper() not in self.players:
            given = repr(words[1]) if len(words) > 1 else "nothing"
            raise self.error(f"{given} where {' or '.join(self.players.lower())} should say who moves", text)
        return Board(cells, words[1].upper()), [word.lower() for word in words[2:]]

    def read_all(self, text: str) -> Board:
        """`read` for games whose notation ends with the player to move."""
        board, rest = self.read(text)
        if rest:
            raise self.error(f"{rest[0]!r} after the player to move", text)
        return board
