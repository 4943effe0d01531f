"""Move matching: which moves of two positions play the same part, found without looking at what they are called.

Source: Evans & Turrini, section 3, "Move Matching". Where a position is known to have a killer two plies ahead, the
move that is most often paired with it in another position may be one there. It is a proposal, not a proof, and a weak
one: the most frequent check of each position does nearly as well in the paper's own examples.
``workshop.reference.measures`` has the definition, and the conventions that the paper leaves open.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from trapcore import _native
from trapcore.errors import UsageError, unknown_name
from trapcore.trees.chess_game import ChessGame, Labels, parse_position


@dataclass(frozen=True, slots=True)
class MovePair:
    """Two moves at the second ply that were paired."""

    first: str
    """Label of a reply in the first position."""
    second: str
    """Label of a reply in the second position."""
    count: int
    """How often they were paired."""
    chances: int
    """How often both were there to be paired: first moves of the one position times first moves of the other."""
    distance: float
    """Mean distance of their similarities where they were paired, 0.0..1.0."""
    after: tuple[tuple[str, str], ...]
    """The first moves of both positions after which they were paired, alphabetically."""


Reply: TypeAlias = tuple[float, str]
"""Similarity and label."""
Cost: TypeAlias = tuple[float, int]
"""Sum of distances, and number of pairs of two names."""


def pairing(p: list[Reply], q: list[Reply]) -> Iterator[tuple[Reply, Reply]]:
    """Pairs of a reply of ``p`` and one of ``q``, both in order, the last first; each of the shorter list has one."""
    few, many = (p, q) if len(p) <= len(q) else (q, p)
    gap = len(many) - len(few)
    # costs[i][k]: of pairing the first i of `few` within the first i + k of `many`.
    costs: list[list[Cost]] = [[(0.0, 0)] * (gap + 1)]
    for i, (similarity, label) in enumerate(few):
        row: list[Cost] = []
        for k in range(gap + 1):
            distance, strangers = costs[i][k]
            other, its_label = many[i + k]
            paired = (distance + abs(similarity - other), strangers + (label != its_label))
            row.append(min(row[-1], paired) if row else paired)
        costs.append(row)
    i, k = len(few), gap
    while i:
        if k and costs[i][k - 1] == costs[i][k]:
            k -= 1
            continue
        i -= 1
        yield (few[i], many[i + k]) if few is p else (many[i + k], few[i])


def of_positions(fen1: str, fen2: str, *, top: int = 5, move: str | None = None) -> list[MovePair]:
    """The ``top`` (>= 1) most frequent pairs of replies of two chess positions; `[]` if one has no reply.

    With ``move``, a reply in the first position (SAN), only the pairs it is in: the first of them is its counterpart.
    Raises ``PositionError`` for a bad FEN, and ``UsageError`` if ``top`` is out of range or ``move`` is no reply in the
    first position.
    """
    if top < 1:
        raise UsageError(f"top must be at least 1, not {top}")
    only = None if move is None else reply_name(fen1, move, Labels.SAN)
    # There are fewer pairs than this; the core counts in machine words.
    found = _native.match_moves(fen1, fen2, Labels.SAN, False, False, only, min(top, 1 << 30))
    return [
        MovePair(first, second, count, chances, distance, tuple(after))
        for first, second, count, chances, distance, after in found
    ]


def frequent_check(fen: str) -> str | None:
    """The reply that gives check after the most first moves, the baseline of a match; None if no reply does.

    Of equally frequent ones the first in alphabetical order. Raises ``PositionError`` for a bad FEN.
    """
    game = ChessGame(Labels.SAN)
    root = parse_position(fen)
    counts: Counter[str] = Counter()
    for move in root.legal_moves:
        child = game.play(root, move)
        counts.update(game.label(child, reply) for reply in child.legal_moves if child.gives_check(reply))
    return min(counts, key=lambda label: (-counts[label], label), default=None)


def reply_name(fen: str, move: str, labels: Labels, *, captures: bool = False) -> str:
    """The label of a reply in a position: ``move`` is that label, or SAN. Raises ``UsageError`` for another move."""
    known = _native.reply_names(fen, labels, captures)
    plain = move if move in known else move.rstrip("+#").replace("x", "")
    if plain not in known:
        raise unknown_name("reply", move, known)
    return plain
