"""Agreement of our themes with lichess's tags over a puzzle file.

A puzzle belongs to one of two halves by the hash of its number, so that what is tuned on one half can be measured on
the other, in every run and for any order of the file.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path

from db.formats.puzzle_file import read_rows
from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.streams import open_bytes
from trapcore.proof.themes import THEMES
from workshop.evaluation.sample import place_of

_CHUNK = 2_000


class Half(StrEnum):
    """Which puzzles are counted."""

    LEFT_OUT = "left-out"
    """Those that nothing was tuned on."""
    TUNING = "tuning"
    ALL = "all"

    def has(self, number: str) -> bool:
        """Whether the puzzle of this number belongs to it."""
        return self is Half.ALL or (self is Half.TUNING) == bool(place_of(number)[-1] & 1)


@dataclass(frozen=True, slots=True)
class Score:
    """One theme: puzzles that have it by both, by us alone, by lichess alone."""

    both: int
    ours: int
    theirs: int

    @property
    def n(self) -> int:
        """Puzzles that lichess tags."""
        return self.both + self.theirs

    @property
    def precision(self) -> float | None:
        """Share of ours that are lichess's as well, 0 to 1; None where we name none."""
        named = self.both + self.ours
        return self.both / named if named else None

    @property
    def recall(self) -> float | None:
        """Share of lichess's that are ours as well, 0 to 1; None where lichess tags none."""
        return self.both / self.n if self.n else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two, 0 to 1; None where nobody names any."""
        named = 2 * self.both + self.ours + self.theirs
        return 2 * self.both / named if named else None


@dataclass
class Agreement:
    """What a file came to."""

    half: Half
    puzzles: int = 0
    positions: int = 0
    """Of the lines: one more than their moves."""
    seconds: float = 0.0
    """That the predicates took on one thread, reading the position and the moves included, without zugzwang."""
    nodes: int = 0
    """Of each search for zugzwang; 0 if it was not searched for."""
    both: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    theirs: Counter[str] = field(default_factory=Counter)

    def scores(self) -> dict[str, Score]:
        """Each theme that was searched for, those with the most puzzles first."""
        names = [name for name in THEMES if self.nodes or name != "zugzwang"]
        found = {name: Score(self.both[name], self.ours[name], self.theirs[name]) for name in names}
        return dict(sorted(found.items(), key=lambda item: -item[1].n))

    def other_tags(self) -> dict[str, int]:
        """lichess's tags that were not searched for, with their puzzles."""
        looked_for = self.scores()
        return {tag: count for tag, count in self.theirs.most_common() if tag not in looked_for}


@dataclass(frozen=True, slots=True)
class _Puzzle:
    place: str
    """File and line, for errors."""
    fen: str
    moves: list[str]
    tags: frozenset[str]


def _puzzles(file: Path, half: Half) -> Iterator[_Puzzle]:
    with open_bytes(file) as chunks:
        for number, row in read_rows(chunks, str(file)):
            place = f"{file}, line {number}"
            if isinstance(row, InputError):
                raise InputError(f"{place}: {row}")
            if "Themes" not in row:
                raise InputError(f"{place}: the line ends before the column Themes")
            if half.has(row["PuzzleId"]):
                yield _Puzzle(place, row["FEN"], row["Moves"].split(), frozenset(row["Themes"].split()))


def _names(puzzle: _Puzzle, nodes: int) -> set[str]:
    try:
        return {theme.name for theme in _native.line_themes(puzzle.fen, puzzle.moves, nodes)}
    except InputError as error:
        raise InputError(f"{puzzle.place}: {error}") from error


def agreement(file: Path, half: Half, nodes: int, jobs: int, say: Callable[[str], None]) -> Agreement:
    """Name the themes of all puzzles of ``half`` and count them against the tags.

    ``nodes`` (0 or more) are those of each search for zugzwang, ``jobs`` (1 or more) the threads of these searches.
    Raises ``InputError``, with the line, for what is no puzzle.
    """
    found = Agreement(half, nodes=nodes)
    puzzles = _puzzles(file, half)
    with ThreadPoolExecutor(jobs) as pool:
        while chunk := list(islice(puzzles, _CHUNK)):
            start = time.perf_counter()
            named = [_names(puzzle, 0) for puzzle in chunk]
            found.seconds += time.perf_counter() - start
            if nodes:
                named = list(pool.map(lambda puzzle: _names(puzzle, nodes), chunk))
            for puzzle, names in zip(chunk, named, strict=True):
                found.puzzles += 1
                found.positions += len(puzzle.moves) + 1
                found.both.update(names & puzzle.tags)
                found.ours.update(names - puzzle.tags)
                found.theirs.update(puzzle.tags - names)
            say(f"{found.puzzles:,} puzzles")
    if not found.puzzles:
        raise InputError(f"{file}: there is no puzzle in this half of it")
    return found
