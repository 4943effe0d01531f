"""How dynamic a game is: how much the local tree changes from one position of a game to the next.

Source: Evans & Turrini, section 3, "Generalisability". They call a game dynamic by "the variability of the connection
density of the graph" and conclude from it which search heuristics suit the game, but give neither term a formula.
Here, in the sense of their section 2.5 (dynamic are trees with moves "that change the game tree structurally between
plies"):

connection density
    of a local tree of depth d: its moves over its positions at depths 0 to d - 1, that is the mean number of moves out
    of a position, 0.0 upwards. At depth 2 (the default) nearly all of them are answers.
variability
    of a line of play: the mean, over every two successive positions, of the change of the density as a share of the
    larger one; 0.0 if it never changes, 1.0 at most. Of several games it is the mean over the games.
turn variability
    the same change between positions two plies apart, which have the same player to move. What the variability has
    beyond it is that one player can do more than the other; in chess that is the larger part, and without it chess
    changes no more than Go on 7x7, whose points run out.
spread
    the standard deviation of the densities along the game over their mean: the other reading of the words. It is shown
    beside the variability because it would decide otherwise: it calls Go, whose moves dwindle steadily, more dynamic
    than chess, and the paper counts Go among the less dynamic games.
kept
    what all-moves-as-first takes for granted, measured directly: the share of moves that a player still has, or had
    already, at his next turn (similarity of continuations at depth 1 of the positions two plies apart).

Only positions in which the game goes on are counted: at its end every density is 0. On a small board each move changes
much, so games compare fairly only on boards of a size.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev, stdev
from typing import Any

import chess

from trapcore.errors import InputError, UsageError
from trapcore.measures.options import checked_depth
from trapcore.trees.tree import Game, Move, Position, Tree
from workshop.coverage.games import read_games
from workshop.reference.measures import continuations

LESS_DYNAMIC = 0.15
"""Below this variability a game counts as less dynamic. Ours, not the paper's, which has no figures: it was put between
random games of Go on 7x7, because the paper calls Go less dynamic, and those of chess: no finding about these two."""
MOST_GAMES = 100_000
MOST_PLIES = 1000


class Heuristic(StrEnum):
    """What section 3 of the paper expects to help a search in a game."""

    SHARING = "all-moves-as-first"
    """Less dynamic: a move does much the same in sibling positions, so they may share its value (AMAF, RAVE)."""
    PRUNING = "pruning"
    """Dynamic: what a move does depends on the position, and branches differ sharply in value, so cutting pays."""


@dataclass(frozen=True, slots=True)
class LineDynamics:
    """The figures of one game, as the module defines them."""

    densities: tuple[float, ...]
    """The connection density of each position in which the game goes on, in order; two or more."""
    kept: float | None
    """0.0..1.0; None if nobody had a second turn."""

    @property
    def variability(self) -> float:
        """0.0..1.0."""
        return fmean(abs(a - b) / max(a, b) for a, b in pairwise(self.densities))

    @property
    def turn_variability(self) -> float | None:
        """0.0..1.0; None if nobody had a second turn."""
        turns = list(zip(self.densities, self.densities[2:], strict=False))
        return fmean(abs(a - b) / max(a, b) for a, b in turns) if turns else None

    @property
    def spread(self) -> float:
        """0.0 upwards."""
        return pstdev(self.densities) / fmean(self.densities)


@dataclass(frozen=True, slots=True)
class Dynamics:
    """The figures of a game from some of its games. Each game counts the same, however long it is."""

    games: int
    positions: int
    density: float
    variability: float
    standard_error: float | None
    """Of the variability, over the games; None for a single game."""
    turn_variability: float | None
    spread: float
    kept: float | None

    @property
    def heuristic(self) -> Heuristic | None:
        """What the variability speaks for: sharing values below `LESS_DYNAMIC`, pruning above it.

        None if the games do not tell: there is one only, or the boundary is within two standard errors.
        """
        if self.standard_error is None or abs(self.variability - LESS_DYNAMIC) <= 2 * self.standard_error:
            return None
        return Heuristic.SHARING if self.variability < LESS_DYNAMIC else Heuristic.PRUNING


def connection_density_at(game: Game[Position, Move], position: Position, depth: int) -> float:
    """The connection density of the local tree of a position, as the module defines it; 0.0 without moves.

    The tree is not built, because its last moves need not be played to be counted. Raises ``UsageError`` for a depth
    outside 1..3.
    """
    moves, positions, level = 0, 0, [position]
    for below in reversed(range(checked_depth(depth))):
        positions += len(level)
        found = [(node, game.moves(node)) for node in level]
        moves += sum(len(legal) for _, legal in found)
        level = [game.play(node, move) for node, legal in found for move in legal] if below else []
    return moves / positions


def line_dynamics(game: Game[Position, Move], line: Iterable[Position], depth: int = 2) -> LineDynamics | None:
    """The figures of one line of play, given as its successive positions, from local trees of ``depth`` 1..3 plies.

    The line ends where the game is over. None if fewer than two positions are left, for then nothing has changed.
    Raises ``UsageError`` for another depth.
    """
    checked_depth(depth)
    densities: list[float] = []
    kept: list[float] = []
    before: list[Tree] = []
    for position in line:
        if game.reward(position) is not None:
            break
        densities.append(connection_density_at(game, position, depth))
        turn = Tree(tuple((game.label(position, move), Tree()) for move in game.moves(position)))
        if len(before) == 2:
            kept.append(continuations.of_trees(before.pop(0), turn, 1))
        before.append(turn)
    if len(densities) < 2:
        return None
    return LineDynamics(tuple(densities), fmean(kept) if kept else None)


def dynamics(game: Game[Position, Move], lines: Iterable[Iterable[Position]], depth: int = 2) -> Dynamics:
    """The figures of a game from some lines of play; those of fewer than two positions are left out.

    Raises ``UsageError`` for a depth outside 1..3 and ``InputError`` if no line is left.
    """
    checked_depth(depth)
    figures = [found for line in lines if (found := line_dynamics(game, line, depth)) is not None]
    if not figures:
        raise InputError("no game with two positions in which it goes on: nothing can have changed")
    variabilities = [found.variability for found in figures]
    turns = [found.turn_variability for found in figures if found.turn_variability is not None]
    kept = [found.kept for found in figures if found.kept is not None]
    return Dynamics(
        games=len(figures),
        positions=sum(len(found.densities) for found in figures),
        density=fmean(fmean(found.densities) for found in figures),
        variability=fmean(variabilities),
        standard_error=stdev(variabilities) / len(figures) ** 0.5 if len(figures) > 1 else None,
        turn_variability=fmean(turns) if turns else None,
        spread=fmean(found.spread for found in figures),
        kept=fmean(kept) if kept else None,
    )


def playouts(game: Any, games: int, seed: int, plies: int) -> Iterator[Sequence[Any]]:
    """``games`` random games of a `workshop.games.rules.BundledGame`, every legal move as likely as any other.

    Each is broken off after ``plies`` moves. The same seed gives the same games. Raises ``UsageError`` for games
    outside 1..100,000 and plies outside 1..1000.
    """
    _checked("games", games, MOST_GAMES)
    _checked("plies", plies, MOST_PLIES)
    chance = random.Random(seed)
    for _ in range(games):
        line = [game.start()]
        while len(line) <= plies and game.reward(line[-1]) is None:
            line.append(game.play(line[-1], chance.choice(game.moves(line[-1]))))
        yield line


def pgn_games(path: Path, games: int) -> Iterator[Sequence[chess.Board]]:
    """The first games of a PGN file that `read_games` takes, as positions; raises ``UsageError`` as `playouts`."""
    _checked("games", games, MOST_GAMES)
    return (game.positions() for game in read_games([path], games))


def _checked(name: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise UsageError(f"{name} must be 1..{most}, not {number}")
