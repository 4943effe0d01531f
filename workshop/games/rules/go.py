"""Go on a small board, by the Tromp-Taylor rules with one change: suicide is forbidden.

Source: J. Tromp and W. Taylor, "The game of Go", <https://tromp.github.io/go.html>. A stone is put on an empty point;
then the opponent's strings without a liberty come off; a move that leaves its own string without one is suicide. No
move may bring back any earlier board, with either side to move (positional superko), which includes the simple ko; a
pass may. Two passes in a row end the game. A player's area is his stones and the empty regions that touch his stones
only. There is no komi; equal areas are a draw.

Superko makes the earlier boards part of a position, and every game finite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from trapcore.errors import UsageError
from workshop.games.rules.grid import EMPTY, Board, Grid

BLACK, WHITE = "B", "W"
PASS: Final = -1
"""The move that puts no stone."""


@dataclass(frozen=True, slots=True)
class GoPosition:
    """A board, who moves, and what the rules must remember."""

    cells: str
    """``B``, ``W`` or ``.`` for each point, row by row from the top."""
    to_move: str
    passes: int
    """Passes in a row just before, 0..2."""
    earlier: frozenset[str]
    """All boards of the game so far, this one included."""


@cache
def _neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """The points next to each point, on the lines of the board."""
    return tuple(
        tuple(
            row * size + file
            for row, file in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            if 0 <= row < size and 0 <= file < size
        )
        for y in range(size)
        for x in range(size)
    )


@dataclass(frozen=True, slots=True)
class Go:
    """The `workshop.games.rules.BundledGame` of Go on a square board of 2 to 7 lines; ``UsageError`` for other sizes.

    A move is the index of a point, row by row from the top, or `PASS`.
    """

    size: int = 5

    def __post_init__(self) -> None:
        """Refuse other sizes."""
        if not 2 <= self.size <= 7:
            raise UsageError(f"Go is played on 2 to 7 lines here, not {self.size}")

    @property
    def name(self) -> str:
        """``go-5x5``."""
        return f"go-{self.size}x{self.size}"

    @property
    def labelling(self) -> str:
        """``points`` and the board's size: ``b2`` is the middle of one board and the edge of another."""
        return f"points, {self.size}x{self.size}"

    @property
    def _grid(self) -> Grid:
        return Grid(self.name, self.size, BLACK + WHITE)

    def start(self) -> GoPosition:
        """The empty board, Black to move."""
        empty = EMPTY * self.size**2
        return GoPosition(empty, BLACK, 0, frozenset({empty}))

    def parse(self, text: str) -> GoPosition:
        """The position of a text like ``BW/.B w`` or ``BW/.B w pass``: rows from the top, who moves, a pass before.

        No other earlier board is known to it, so no ko is open. Raises ``PositionError`` for a bad text and for a
        string without liberties.
        """
        board, rest = self._grid.read(text)
        if rest not in ([], ["pass"], ["pass", "pass"]):
            raise self._grid.error(f"{' '.join(rest)!r} where only one or two passes may stand", text)
        for point, cell in enumerate(board.cells):
            if cell != EMPTY and self._without_liberty(board.cells, point):
                raise self._grid.error(f"the string of {self._grid.square(point)} has no liberty", text)
        return GoPosition(board.cells, board.to_move, len(rest), frozenset({board.cells}))

    def text(self, position: GoPosition) -> str:
        """The position in the notation of `parse`, which knows nothing of earlier boards."""
        return self._grid.write(Board(position.cells, position.to_move)) + " pass" * position.passes

    def moves(self, position: GoPosition) -> Sequence[int]:
        """The points that may be played, row by row from the top, and `PASS`; none after two passes."""
        if position.passes == 2:
            return []
        points = [
            point
            for point, cell in enumerate(position.cells)
            if cell == EMPTY and self._board_after(position, point) not in position.earlier
        ]
        return [*points, PASS]

    def play(self, position: GoPosition, move: int) -> GoPosition:
        """The position with a stone more and what it captures gone, or with a pass more."""
        other = WHITE if position.to_move == BLACK else BLACK
        if move == PASS:
            return GoPosition(position.cells, other, position.passes + 1, position.earlier)
        cells = self._board_after(position, move)
        return GoPosition(cells, other, 0, position.earlier | {cells})

    def reward(self, position: GoPosition) -> float | None:
        """After two passes, 1.0, 0.0 or -1.0 for a larger, equal or smaller area of the last passer; else None."""
        if position.passes < 2:
            return None
        own = self.area(position.cells, WHITE if position.to_move == BLACK else BLACK)
        theirs = self.area(position.cells, position.to_move)
        return float((own > theirs) - (own < theirs))

    def label(self, position: GoPosition, move: int) -> str:
        """The point, ``a1`` at the lower left, or ``pass``. Black's stone and White's on a point have one label."""
        return "pass" if move == PASS else self._grid.square(move)

    def irreversible(self, position: GoPosition, move: int) -> str:
        """The number of captured stones: ``3``; empty if nothing is captured."""
        if move == PASS:
            return ""
        stones = len(position.cells) - position.cells.count(EMPTY) + 1
        after = self._board_after(position, move)
        captured = stones - (len(after) - after.count(EMPTY))
        return str(captured) if captured else ""

    def area(self, cells: str, player: str) -> int:
        """The points of ``player``: his stones, and the empty regions that touch his stones and no others."""
        counted, seen = cells.count(player), set[int]()
        for point, cell in enumerate(cells):
            if cell == EMPTY and point not in seen:
                region, touched = self._string(cells, point)
                seen |= region
                counted += len(region) if touched == {player} else 0
        return counted

    def _string(self, cells: str, point: int) -> tuple[set[int], set[str]]:
        """The points joined to ``point`` by its own letter, and the other letters next to them."""
        own, string, touched, waiting = cells[point], {point}, set[str](), [point]
        while waiting:
            for near in _neighbours(self.size)[waiting.pop()]:
                if cells[near] != own:
                    touched.add(cells[near])
                elif near not in string:
                    string.add(near)
                    waiting.append(near)
        return string, touched

    def _without_liberty(self, cells: str, point: int) -> set[int]:
        """The string of the stone on ``point`` if it has no liberty, otherwise nothing."""
        # Most strings have one next to the stone in question.
        if any(cells[near] == EMPTY for near in _neighbours(self.size)[point]):
            return set()
        string, touched = self._string(cells, point)
        return set() if EMPTY in touched else string

    def _board_after(self, position: GoPosition, point: int) -> str:
        """The board after a stone on the empty ``point``; after suicide the old one, which superko forbids as well."""
        cells, mover = position.cells, position.to_move
        placed = cells[:point] + mover + cells[point + 1 :]
        captured = set[int]()
        for near in _neighbours(self.size)[point]:
            if placed[near] not in (mover, EMPTY) and near not in captured:
                captured |= self._without_liberty(placed, near)
        if captured:
            return "".join(EMPTY if index in captured else cell for index, cell in enumerate(placed))
        return cells if self._without_liberty(placed, point) else placed
