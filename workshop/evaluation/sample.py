"""The puzzles of an evaluation: a library and queries, divided by game, so that no game is on both sides.

Which side a puzzle is on, and its place there, come from the hash of the game it is from (of its own number, where the
file names no game). So they are the same in every run, for any order of the file.
"""

import hashlib
import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import chess

from db.formats.puzzle_file import Row, read_rows
from db.formats.puzzles import puzzle_trap
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore.errors import InputError
from trapcore.io.streams import open_bytes
from trapcore.ranking.training import Example
from trapcore.trees.chess_game import parse_position

Key = tuple[bytes, str]
"""Hash of the game, and number of the puzzle: the order of a sample."""

_SPARE = 200
"""Rows taken beyond those wanted, for what turns out to be no trap."""
_GAME = re.compile(r"^https?://[^/]+/([A-Za-z0-9]{8})")


@dataclass(frozen=True)
class Puzzle:
    """A trap with what is known of it; only compared by identity of its fields."""

    number: str
    game: str
    """Id of the game; the number of the puzzle where that is not known."""
    rating: int | None
    themes: frozenset[str]
    trap: Trap

    @property
    def before(self) -> str:
        """FEN before the bait."""
        return f"{self.trap.epd} 0 1"

    @property
    def killer(self) -> str:
        """UCI."""
        return self.trap.killer_line[0]

    @property
    def mates(self) -> bool:
        """The line ends in mate."""
        return self.trap.outcome is Outcome.MATE

    @property
    def example(self) -> Example:
        """What weights are learned from."""
        return self.before, self.trap.bait, self.killer

    @cached_property
    def board(self) -> chess.Board:
        """The position after the bait; not to be changed."""
        board = parse_position(self.before)
        board.push(board.parse_uci(self.trap.bait))
        board.clear_stack()
        return board

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """All moves after the bait, UCI."""
        return tuple(map(self.board.uci, self.board.legal_moves))

    @cached_property
    def is_quiet(self) -> bool:
        """The killer takes nothing, gives no check and does not promote."""
        move = self.board.parse_uci(self.killer)
        return not (self.board.is_capture(move) or self.board.gives_check(move) or move.promotion)

    @cached_property
    def mating(self) -> frozenset[str]:
        """All moves that mate at once, if the killer does; else the killer alone."""
        found = set()
        for move in self.board.legal_moves:
            if self.board.gives_check(move):
                self.board.push(move)
                mate = self.board.is_checkmate()
                self.board.pop()
                if mate:
                    found.add(self.board.uci(move))
        return frozenset(found) if self.killer in found else frozenset({self.killer})


@dataclass(frozen=True)
class Sample:
    """What an evaluation works with."""

    file: str
    rows: int
    """Puzzles in the file."""
    library: Sequence[Puzzle]
    """In the order of their hashes, so that the first few are a smaller library."""
    queries: Sequence[Puzzle]
    """Mates and gains of material by turns, so that the first few are a smaller sample; in the order of their
    hashes."""
    bad: int
    """Rows that are no trap."""
    shared: int
    """Queries left out because the library has their position."""


def game_of(url: str | None, number: str) -> str:
    """Id of the lichess game of ``url``, without side and ply; else the number of the puzzle."""
    found = _GAME.match(url or "")
    return found[1] if found else number


def place_of(game: str) -> bytes:
    """The 8 bytes that place a game: the last bit of them is its side."""
    return hashlib.blake2b(game.encode(), digest_size=8).digest()


def read_sample(path: Path, library_size: int, queries: int) -> Sample:
    """Divide the puzzles of a file, plain or compressed: ``library_size`` (1 or more) of one side as the library, and
    ``queries`` (2 or more), half of them mates, of the other. Fewer are taken where there are fewer.
    Raises `InputError` for a file that is no table of puzzles.
    """
    half = queries // 2
    known, mates, others = _First(library_size + _SPARE), _First(half + _SPARE), _First(half + _SPARE)
    rows = 0
    for row in _rows(path):
        rows += 1
        place = place_of(game_of(row.get("GameUrl"), row["PuzzleId"]))
        if place[-1] & 1:
            known.add((place, row["PuzzleId"]), row)
        else:
            (mates if "mate" in row["Themes"].split() else others).add((place, row["PuzzleId"]), row)
    bad = _Counter()
    learned = list(_puzzles(known.rows(), library_size, bad))
    positions = {puzzle.trap.key for puzzle in learned}
    twice = _Counter()
    chosen = [list(_puzzles(part.rows(), half, bad, twice, positions)) for part in (mates, others)]
    both = [puzzle for pair in zip(*chosen, strict=False) for puzzle in pair]
    shorter = min(map(len, chosen))
    both += chosen[0][shorter:] + chosen[1][shorter:]
    if not learned or not both:
        what = "library" if not learned else "queries"
        raise InputError(f"{path}: there are too few puzzles for the {what}; give a longer file")
    return Sample(path.name, rows, learned, both, bad.count, twice.count)


class _First:
    """The rows with the lowest keys, as many as wanted."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._heap: list[tuple[_Falling, Row]] = []

    def add(self, key: Key, row: Row) -> None:
        if len(self._heap) < self.size:
            heapq.heappush(self._heap, (_Falling(key), row))
        elif key < self._heap[0][0].key:
            heapq.heapreplace(self._heap, (_Falling(key), row))

    def rows(self) -> list[Row]:
        """Ascending."""
        return [row for _, row in sorted(self._heap, key=lambda item: item[0].key)]


class _Falling:
    """A key that sorts the other way round; equal to no other."""

    def __init__(self, key: Key) -> None:
        self.key = key

    def __lt__(self, other: "_Falling") -> bool:
        return self.key > other.key


class _Counter:
    count = 0


def _puzzles(
    rows: Iterable[Row],
    most: int,
    bad: _Counter,
    shared: _Counter | None = None,
    without: frozenset[bytes] | set[bytes] = frozenset(),
) -> Iterator[Puzzle]:
    """The first ``most`` rows that are traps and whose position is not among ``without``."""
    found = 0
    for row in rows:
        if found == most:
            return
        try:
            trap = puzzle_trap(row)
        except InputError:
            bad.count += 1
            continue
        if trap.key in without:
            assert shared is not None
            shared.count += 1
            continue
        found += 1
        number = row["PuzzleId"]
        rating = row.get("Rating") or ""
        themes = frozenset(row["Themes"].split())
        yield Puzzle(
            number, game_of(row.get("GameUrl"), number), int(rating) if rating.isdigit() else None, themes, trap
        )


def _rows(path: Path) -> Iterator[Row]:
    """The rows of a puzzle file that have what every puzzle has."""
    with open_bytes(path) as chunks:
        for number, row in read_rows(chunks, str(path)):
            if isinstance(row, InputError):
                raise InputError(f"{path}, line {number}: {row}")
            if row.get("PuzzleId") and row.get("Themes") is not None:
                yield row
