"""Value and best line of a position, by alpha-beta search in the core."""

from collections.abc import Sequence
from dataclasses import dataclass

from trapcore import _native
from trapcore.parallel.budget import Budget, Cancellation

MATE = _native.MATE
"""A value in centipawns that is a mate, of either sign, is this less the plies to it,"""

MATE_BOUND = _native.MATE_BOUND
"""and so every value beyond this is one."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The last depth that a search finished."""

    value: int
    """Centipawns for the side to move; beyond 29,000 either way a mate."""
    mate_in: int | None
    """Moves to the mate that the search saw: positive if the side to move mates, negative if it is mated, 0 if it is
    mated already; None without a mate. What the selective search sees is no proof."""
    depth: int
    """Plies; 0 if not even the first depth was finished, or if there is no move."""
    line: tuple[str, ...]
    """Best play of both sides, UCI; empty at depth 0."""
    nodes: int
    """Positions searched."""


def search(
    fen: str,
    budget: Budget,
    stop: Cancellation | None = None,
    *,
    moves: Sequence[str] = (),
    first: Sequence[str] = (),
    only: Sequence[str] = (),
) -> SearchResult:
    """Search deeper and deeper until ``budget`` is spent, ``stop`` is cancelled, or a mate is certain to be shortest.

    With ``moves`` (UCI) it is the position after them that is searched, and to come back to one of those before it is
    a draw by repetition. ``first`` are the moves of that position to try before the others, in this order, ``only``
    those to search (empty for all). The same question and budget give the same result, unless time ended it. Raises
    ``PositionError`` for a bad position or moves that are not legal in it.
    """
    value, mate_in, depth, line, nodes = _native.search(fen, moves, *budget.for_search(), stop, first, only)
    return SearchResult(value, mate_in, depth, tuple(line), nodes)
