"""Local game trees of any game: all lines of a position to a stated depth, with each move named by a label.

Source: Evans & Turrini, section 2. ``python -m trapcore.trees "<fen>"`` draws the tree of a chess position.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias, TypeVar

Position = TypeVar("Position")
Move = TypeVar("Move")

Nested: TypeAlias = Mapping[str, "Nested"]
"""A tree as it is written by hand: ``{"a": {"c": {}, "d": {}}, "b": {}}``."""


class Game(Protocol[Position, Move]):
    """What a game must tell so that its local trees can be built and compared."""

    def moves(self, position: Position) -> Sequence[Move]:
        """The legal moves, in an order that is the same for equal positions; none if the game is over."""
        ...

    def play(self, position: Position, move: Move) -> Position:
        """The position after ``move``; ``position`` itself stays as it is."""
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
    """The game is over here. A node without children that has not ended is where the tree was cut off."""

    @classmethod
    def literal(cls, written: Nested) -> Self:
        """The tree written as nested mappings; its leaves count as cut off."""
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


def local_tree(game: Game[Position, Move], position: Position, depth: int, *, captures: bool = False) -> Tree:
    """All lines of ``position`` to ``depth`` (>= 0) plies.

    With ``captures`` a move that destroys something carries it in its label, after an ``x``: ``d4e5xP``.
    """
    moves = game.moves(position)
    if depth == 0:
        return Tree(ended=not moves)

    def label(move: Move) -> str:
        lost = game.irreversible(position, move) if captures else ""
        return game.label(position, move) + (f"x{lost}" if lost else "")

    return Tree(
        tuple((label(m), local_tree(game, game.play(position, m), depth - 1, captures=captures)) for m in moves),
        ended=not moves,
    )


def draw(tree: Tree, shown: int = 8) -> Iterator[str]:
    """The tree as text, one line a move; each node shows its first ``shown`` children and counts the rest."""
    for index, (label, child) in enumerate(tree.children[:shown]):
        last = index + 1 == len(tree.children)
        size = f"  ({len(child.children)})" if child.children else "  (the game ends)" if child.ended else ""
        yield f"{'└' if last else '├'}── {label}{size}"
        for line in draw(child, shown):
            yield f"{' ' if last else '│'}   {line}"
    if rest := tree.children[shown:]:
        yield f"└── … {len(rest)} more"


def main(arguments: Iterable[str] | None = None) -> int:
    """Draw the local tree of a chess position; the exit code."""
    # Chess stands above the trees of any game; only this demonstration reaches up to it.
    from trapcore.chess_tree import Labels, chess_tree
    from trapcore.errors import TraplineError

    parser = argparse.ArgumentParser(prog="python -m trapcore.trees", description="Draws the local tree of a position.")
    parser.add_argument("fen", help="FEN or EPD of a chess position")
    parser.add_argument("--depth", type=int, default=2, choices=range(1, 4), help="plies, 1 to 3 (default 2)")
    parser.add_argument("--labels", default="san", choices=[str(name) for name in Labels], help="default san")
    parser.add_argument("--captures", action="store_true", help="name captured pieces")
    parser.add_argument("--shown", type=int, default=6, metavar="N", help="children drawn of each node (default 6)")
    options = parser.parse_args(None if arguments is None else list(arguments))
    try:
        tree = chess_tree(options.fen, options.depth, Labels(options.labels), captures=options.captures)
    except TraplineError as error:
        print(f"trapline: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{options.fen}\n{len(tree.children)} moves, {tree.edges} edges to depth {options.depth}")
    for line in draw(tree, max(1, options.shown)):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
