"""How often a search chooses the bait: the position before the losing first move of a puzzle, or that of a trap."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path

from db.formats.bundled import bundled_traps
from db.formats.puzzle_file import read_rows
from db.traps.terms import Outcome
from trapcore.errors import InputError, TraplineError
from trapcore.io.streams import open_bytes
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search
from trapcore.trees.chess_game import parse_position
from workshop.coverage.shares import Share
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget

ALPHA_BETA = "alpha-beta"
"""The product's own search, at equal time only: it has no playouts."""


class Depth(StrEnum):
    """How deep the trap is: moves of the attacker to mate, or that only material is won."""

    MATE_1 = "mate in 1"
    MATE_2 = "mate in 2"
    MATE_3 = "mate in 3 or more"
    MATERIAL = "material"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, the move that was played there and lost, and how."""

    number: str
    fen: str
    bait: str
    depth: Depth


@dataclass(frozen=True, slots=True)
class Choice:
    """What a search chose."""

    search: str
    puzzle: Puzzle
    playouts: int | None
    """Its budget; None for equal time."""
    move: str

    @property
    def is_bait(self) -> bool:
        """Whether it fell for it."""
        return self.move == self.puzzle.bait


def read_puzzles(path: Path, count: int) -> list[Puzzle]:
    """So many puzzles, in equal parts of each depth as far as there are so many; the first ones of the file.

    Left out are those whose bait is the only move. Raises ``InputError`` for a file without puzzles.
    """
    parts: dict[Depth, list[Puzzle]] = {depth: [] for depth in Depth}
    wanted = -(-count // len(parts))
    with open_bytes(str(path)) as chunks:
        for _, row in read_rows(chunks, path.name):
            if isinstance(row, InputError):
                continue
            themes, moves = row["Themes"].split(), row["Moves"].split()
            part = parts[_depth(themes)]
            if len(part) < wanted and len(moves) > 1 and _is_sound(row["FEN"]):
                part.append(Puzzle(row["PuzzleId"], row["FEN"], moves[0], _depth(themes)))
            if all(len(part) == wanted for part in parts.values()):
                break
    if not any(parts.values()):
        raise InputError(f"{path}: there is no puzzle")
    return _by_turns(parts)[:count]


def bundled_positions(count: int) -> list[Puzzle]:
    """So many positions before the bait of a bundled trap, the depths by turns; fewer if there are not so many."""
    parts: dict[Depth, list[Puzzle]] = {depth: [] for depth in Depth}
    for trap in bundled_traps():
        depth = Depth.MATERIAL
        if trap.outcome is Outcome.MATE:
            depth = {1: Depth.MATE_1, 2: Depth.MATE_2}.get(trap.length, Depth.MATE_3)
        if _is_sound(trap.epd):
            parts[depth].append(Puzzle(trap.slug, trap.epd, trap.bait, depth))
    return _by_turns(parts)[:count]


def _by_turns(parts: Mapping[Depth, Sequence[Puzzle]]) -> list[Puzzle]:
    """All, one of each depth after the other, so that the first few are a smaller sample."""
    longest = max(map(len, parts.values()))
    return [part[place] for place in range(longest) for part in parts.values() if place < len(part)]


def _depth(themes: Sequence[str]) -> Depth:
    if "mateIn1" in themes:
        return Depth.MATE_1
    if "mateIn2" in themes:
        return Depth.MATE_2
    return Depth.MATE_3 if "mate" in themes else Depth.MATERIAL


def _is_sound(fen: str) -> bool:
    try:
        return parse_position(fen).legal_moves.count() > 1
    except TraplineError:
        return False


def steps(most: int) -> list[int]:
    """Numbers of playouts to examine: 100, 300, 1,000 … up to ``most``."""
    numbers = (leading * 10**power for power in range(2, 19) for leading in (1, 3))
    return [number for number in islice(numbers, 34) if number <= most]


def at_playouts(puzzle: Puzzle, name: str, numbers: Sequence[int], seed: int) -> Iterator[Choice]:
    """What the search chooses after so many playouts (ascending); one search that goes on."""
    going, done = MonteCarloSearch("chess", puzzle.fen, name, seed=seed), 0
    move = ""
    for number in numbers:
        # A search that has solved the position stays with its answer.
        if not move or done < number:
            opinion = going.search(PlayoutBudget(playouts=number - done))
            move = opinion.best.move
            done = number
        yield Choice(name, puzzle, number, move)


def at_equal_time(puzzle: Puzzle, name: str, seconds: float, seed: int) -> Choice:
    """What the search, or alpha-beta, chooses in this time."""
    if name == ALPHA_BETA:
        found = search(puzzle.fen, Budget(milliseconds=max(1, round(1000 * seconds))))
        move = found.line[0] if found.line else ""
    else:
        going = MonteCarloSearch("chess", puzzle.fen, name, seed=seed)
        move = going.search(PlayoutBudget(seconds=seconds)).best.move
    return Choice(name, puzzle, None, move)


def measure(
    puzzles: Sequence[Puzzle], names: Sequence[str], numbers: Sequence[int], seconds: float, say: Callable[[str], None]
) -> list[Choice]:
    """All choices: of each search after so many playouts, and of each and alpha-beta in the same time."""
    choices: list[Choice] = []
    for done, puzzle in enumerate(puzzles):
        say(f"baits: {done} of {len(puzzles)} positions")
        for name in names:
            choices += at_playouts(puzzle, name, numbers, seed=done)
            choices.append(at_equal_time(puzzle, name, seconds, seed=done))
        choices.append(at_equal_time(puzzle, ALPHA_BETA, seconds, seed=done))
    return choices


def share(choices: Sequence[Choice], name: str, playouts: int | None, depth: Depth | None = None) -> Share:
    """Of the choices of a search with a budget, in traps of a depth (None: of all)."""
    return Share.among(
        choice.is_bait
        for choice in choices
        if choice.search == name and choice.playouts == playouts and depth in (None, choice.puzzle.depth)
    )
