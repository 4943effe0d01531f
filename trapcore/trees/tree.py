"""Local game trees of any game: all lines of a position to a stated depth, with each move named by a label.

Source: Evans & Turrini, section 2. ``trapline tree`` draws one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias, TypeVar

from trapcore.errors import UsageError

Position = TypeVar("Position")
Move = TypeVar("Move")

Nested: TypeAlias = Mapping[str, "Nested | float"]
"""A tree as it is written by hand: ``{"a": {"c": {}, "d": 1.0}, "b": {}}``; a number is an end with that reward."""

DEEPEST = 100
"""The deepest local tree that is built, in plies: only small games have such a tree at all."""
MAX_EDGES = 1_000_000
"""The largest local tree that is built, in moves: some hundred megabytes."""


class Game(Protocol[Position, Move]):
    """Interface of a game whose local trees can be built and compared."""

    def moves(self, position: Position) -> Sequence[Move]:
        """The legal moves, in an order that is the same for equal positions; none only if the game is over."""
        ...

    def play(self, position: Position, move: Move) -> Position:
        """The position after ``move``, which is one of `moves`; ``position`` itself stays as it is."""
        ...

    def reward(self, position: Position) -> float | None:
        """What the end of the game is worth to the player who made the last move, or None while it goes on.

        1.0 is a win, 0.0 a draw, -1.0 a loss: the range S_0..S_1 of section 2.4 is 2 wide. It is given from the last
        mover's side because a tree does not know its players' names: so a mate is 1.0 for either side, and two ends
        at the same depth of two trees compare the same whichever of the two players is the agent.
        """
        ...

    def label(self, position: Position, move: Move) -> str:
        """What ``move`` is called. Measures compare names, so equal names should mean the same thing to a player."""
        ...

    def irreversible(self, position: Position, move: Move) -> str:
        """What ``move`` destroys for good, such as the captured piece; empty if nothing (section 4 of the paper)."""
        ...


@dataclass(frozen=True, slots=True)
class Tree:
    """A position with its lines to some depth; two children may have the same label."""

    children: tuple[tuple[str, "Tree"], ...] = ()
    """Label and subtree of each move, in the order of the game."""
    ended: bool = False
    """Nobody can move here. A node without children that has not ended is where the tree was cut off."""
    reward: float | None = None
    """What the game paid the player who made the last move (`Game.reward`), -1.0..1.0; None while it goes on.

    A node with moves can have one: in chess the game is drawn without mating material, with moves on the board.
    """

    def __post_init__(self) -> None:
        """Refuse what no game can give."""
        if self.reward is not None and not -1.0 <= self.reward <= 1.0:
            raise UsageError(f"a reward is -1 to 1, not {self.reward}")
        if self.ended and self.children:
            raise UsageError(f"a tree cannot end where there are moves: {self.children[0][0]!r} and others")

    @classmethod
    def literal(cls, written: Nested | float) -> Self:
        """The tree written as nested mappings, in which a number is a leaf where the game ended with that reward.

        An empty mapping is a leaf where the tree was cut off. Raises ``UsageError`` for a reward outside -1..1.
        """
        if not isinstance(written, Mapping):
            return cls(ended=True, reward=float(written))
        return cls(tuple((label, cls.literal(below)) for label, below in written.items()))

    @property
    def edges(self) -> int:
        """Number of moves in the tree: the size |T| of the paper."""
        return sum(1 + child.edges for _, child in self.children)

    def lines(self, depth: int) -> Iterator[tuple[str, ...]]:
        """The labels of every line of ``depth`` (>= 0) moves, or of fewer if it ends earlier, one tuple a line."""
        if depth == 0 or not self.children:
            yield ()
            return
        for label, child in self.children:
            for rest in child.lines(depth - 1):
                yield (label, *rest)

    def labels(self, depth: int) -> frozenset[str]:
        """The labels that occur at depths 1 to ``depth`` (>= 0)."""
        return frozenset(label for line in self.lines(depth) for label in line)


def local_tree(
    game: Game[Position, Move], position: Position, depth: int, *, captures: bool = False, most: int = MAX_EDGES
) -> Tree:
    """All lines of ``position`` to ``depth`` 0..100 plies; a position in which the game is over gives a lone end.

    With ``captures`` a move that destroys something carries it in its label, after an ``x``: ``d4e5xP``. Raises
    ``UsageError`` for another depth, and for a tree of more than ``most`` moves before memory runs out.
    """
    if not 0 <= depth <= DEEPEST:
        raise UsageError(f"depth must be 0..{DEEPEST} plies, not {depth}")
    edges = 0

    def grown(position: Position, below: int) -> Tree:
        nonlocal edges
        moves, reward = game.moves(position), game.reward(position)
        if below == 0:
            return Tree(ended=not moves, reward=reward)
        edges += len(moves)
        if edges > most:
            raise UsageError(f"the local tree of depth {depth} has more than {most:,} moves: take a smaller depth")
        return Tree(
            tuple((label(position, m), grown(game.play(position, m), below - 1)) for m in moves),
            ended=not moves,
            reward=reward,
        )

    def label(position: Position, move: Move) -> str:
        lost = game.irreversible(position, move) if captures else ""
        return game.label(position, move) + (f"x{lost}" if lost else "")

    return grown(position, depth)
