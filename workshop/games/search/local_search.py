"""Local search in the core: forced wins of games with goals, found inside a region of moves that shrinks.

A forced win that cannot be shortened has its moves near each other. So the search tries wins in 1, 2, … moves, for
each player apart, and leaves out moves that are too far from the first or from a goal, and replies that cannot touch in
time what the win depends on. It does not find every win. What it claims was found true wherever it was checked, but it
is a hint and no proof: proofs are the solver's, see `workshop.games.search.monte_carlo`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from trapcore.errors import PositionError, UsageError
from trapcore.parallel.budget import Cancellation
from workshop.games.rules import game_named
from workshop.native import _core

_MOST: Final = 2**63 - 1
MOST_SECONDS: Final = 10**9
"""The longest time of a question: thirty years."""
MOST_MOVES: Final = _core.MOST_MOVES
"""The longest forced win that is searched for, in moves of the winner."""
PAYS: Final = _core.LOCALITY_PAYS
"""The mean distance from which local search pays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalBudget:
    """Limits of one question. The first one reached ends it. Raises ``UsageError`` for none, and out of range."""

    nodes: int | None = None
    """Positions, 1 or more: then the answer is the same everywhere."""
    seconds: float | None = None
    """Wall-clock time, at least a millisecond."""
    moves: int | None = None
    """Moves of the winner, 1 to `MOST_MOVES`."""

    def __post_init__(self) -> None:
        """Check every field."""
        if self.nodes is None and self.seconds is None and self.moves is None:
            raise UsageError("a budget needs nodes, seconds or moves")
        if self.nodes is not None and not 1 <= self.nodes <= _MOST:
            raise UsageError(f"nodes must be 1 or more, not {self.nodes}")
        # The comparison is false for what is no number at all.
        if self.seconds is not None and not 0.001 <= self.seconds <= MOST_SECONDS:
            raise UsageError(f"seconds must be at least 0.001 and at most {MOST_SECONDS:,}, not {self.seconds}")
        if self.moves is not None and not 1 <= self.moves <= MOST_MOVES:
            raise UsageError(f"moves must be 1..{MOST_MOVES}, not {self.moves}")


@dataclass(frozen=True, slots=True)
class Locality:
    """How far the moves of a game are from each other, by its rules alone."""

    mean_distance: float
    """Turns before two moves can touch the same square or goal, on the average of all pairs; at least 1."""
    focus: int | None
    """Of games whose goals several moves share: most files from one move of a win to the next. None: not needed."""
    pays: bool
    """The mean distance is `PAYS` or more: enough can be left out."""


class Finding(StrEnum):
    """What is found for the player to move."""

    WIN = "win"
    LOSS = "loss"
    """Every move loses."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class LosingMove:
    """A move after which the opponent has a forced win."""

    move: str
    moves: int
    """The opponent's to his win, at most."""


@dataclass(frozen=True, slots=True)
class LocalOpinion:
    """What a local search found."""

    finding: Finding
    moves: int
    """Moves of the winner to the end, at most; 0 where nothing was found."""
    best: str | None
    """The move that wins, or that which loses last; None where nothing was found."""
    line: tuple[str, ...]
    """Labels of the win and the replies that hold out longest, as far as they are known."""
    losing: tuple[LosingMove, ...]
    """Moves that lose."""
    tenuki: int | None
    """In how many moves the opponent wins, should the player to move do something elsewhere; None if in none found."""
    depth: int
    """Moves to which both players' searches are complete."""
    nodes: int
    cancelled: bool
    """Somebody ended the search: this is what was found so far."""

    @property
    def value(self) -> float | None:
        """1.0 for a win, -1.0 for a loss, None where nothing was found."""
        return {Finding.WIN: 1.0, Finding.LOSS: -1.0}.get(self.finding)


@dataclass(frozen=True, slots=True)
class Rival:
    """What another search says of the same claim."""

    won: bool | None
    """Whether the player to move wins; None if the budget was spent before it was known."""
    moves: int | None
    """In how many moves, if it counts them; 0 if not won."""
    nodes: int


def has_local_search(game: str) -> bool:
    """Whether a game has goals on squares, as local search needs; Go and chess have none.

    Raises ``UsageError`` for an unknown game.
    """
    name = game_named(game).name
    return name != "chess" and not name.startswith("go-")


@cache
def locality(game: str) -> Locality:
    """The distances of a game's moves, which take some seconds of chess, and otherwise a moment.

    Raises ``UsageError`` for an unknown game, and for Go, which has no goals on squares.
    """
    played = game_named(game)
    found = _core.locality(played.name, played.text(played.start()))
    if found is None:
        raise without_goals(played.name)
    return Locality(*found)


def without_goals(game: str) -> UsageError:
    """The error for a game that has no goals on squares."""
    return UsageError(
        f"{game} has no goals on squares, which local search needs; it searches breakthrough (5x5 to 8x8), "
        "connect-four and tic-tac-toe"
    )


class LocalSearch:
    """Local searches of one game from a position on, which remember what they found.

    Raises ``UsageError`` for an unknown game and one without goals on squares, as Go and chess are, and
    ``PositionError`` for a position that is not of the game, for moves that are not legal, and where the game is over.
    """

    def __init__(
        self, game: str, position: str | None = None, *, moves: Sequence[str] = (), megabytes: int = 64
    ) -> None:
        self._game = game_named(game)
        if not 1 <= megabytes <= 2**20:
            raise UsageError(f"megabytes must be 1 or more, not {megabytes}")
        self.position: Any = self._game.start() if position is None else self._game.parse(position)
        """The position now, as the game has it."""
        for label in moves:
            self.position = self._played(label)
        if not has_local_search(self._game.name):
            raise without_goals(self._game.name)
        self._search = _core.LocalSearch(self._game.name, self.text, megabytes << 20)

    @property
    def text(self) -> str:
        """The position now, in the notation of the game."""
        return self._game.text(self.position)

    def play(self, label: str) -> None:
        """Play a move by its label, in any case; searches for the opponent's threats keep to its surroundings."""
        self.position = self._played(label, tell=True)

    def _played(self, label: str, *, tell: bool = False) -> Any:
        """The position after a move."""
        if self._game.reward(self.position) is not None:
            raise PositionError(f"{label!r} after the end of the game: {self.text!r}", self.text)
        known = {self._game.label(self.position, move): move for move in self._game.moves(self.position)}
        for name, move in known.items():
            if name.casefold() == label.casefold():
                if tell and not self._search.play(name):
                    raise AssertionError(f"the core does not know the move {name} in {self.text}")
                return self._game.play(self.position, move)
        raise PositionError(f"{label!r} is no legal move in {self.text!r}: legal are {' '.join(known)}", self.text)

    def _check(self) -> None:
        if self._game.reward(self.position) is not None:
            raise PositionError(f"the game is over, there is nothing to search: {self.text!r}", self.text)

    def search(self, budget: LocalBudget, stop: Cancellation | None = None) -> LocalOpinion:
        """Search until ``budget`` is spent, ``stop`` is cancelled or a win or loss is found.

        Another thread can cancel: then the opinion is what was found so far, and says so. Ctrl-C in the main thread
        raises ``KeyboardInterrupt``. Raises ``PositionError`` if the game is over.
        """
        self._check()
        finding, moves, best, line, losing, tenuki, depth, nodes, cancelled = self._search.run(
            budget.moves or MOST_MOVES, budget.nodes or _MOST, _milliseconds(budget), stop
        )
        return LocalOpinion(
            Finding(finding),
            moves,
            best,
            tuple(line),
            tuple(LosingMove(*one) for one in losing),
            tenuki,
            depth,
            nodes,
            cancelled,
        )

    def alpha_beta(self, budget: LocalBudget) -> Rival:
        """A plain iterative alpha-beta search for a win of the player to move; raises ``PositionError`` as `search`."""
        self._check()
        return Rival(*self._search.alpha_beta(budget.moves or MOST_MOVES, budget.nodes or _MOST, _milliseconds(budget)))

    def proof_number(self, budget: LocalBudget, positions: int = 2_000_000) -> Rival:
        """A complete depth-first proof-number search for a win of the player to move, in however many moves.

        It holds at most ``positions``, and gives up where there are more. Raises ``PositionError`` as `search`.
        """
        self._check()
        won, _, nodes = self._search.proof_number(budget.nodes or _MOST, positions, _milliseconds(budget))
        return Rival(won, None, nodes)


def _milliseconds(budget: LocalBudget) -> int | None:
    return None if budget.seconds is None else max(1, round(1000 * budget.seconds))
