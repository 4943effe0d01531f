"""What a similarity rests on: the lines that two positions share or that only one has, or the paired children."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from trapcore.measures.comparison import BY_CHILDREN, CHILDREN, Comparison, game_end
from trapcore.measures.move_matching import Reply, pairing
from trapcore.measures.options import Measure
from trapcore.trees.chess_game import chess_tree
from trapcore.trees.tree import Tree

SHOWN = 8
"""Lines of each kind that are shown to people; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Lines of two positions, each as its moves with spaces between and how often it occurs, alphabetically."""

    shared: tuple[tuple[str, int, int], ...]
    first_only: tuple[tuple[str, int], ...]
    second_only: tuple[tuple[str, int], ...]
    note: str = ""
    """A sentence about what the measure made of them; empty if there is nothing to add."""

    def answer(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "shared": [{"line": line, "first": k1, "second": k2} for line, k1, k2 in self.shared],
            "first_only": [{"line": line, "times": k} for line, k in self.first_only],
            "second_only": [{"line": line, "times": k} for line, k in self.second_only],
            **({"note": self.note} if self.note else {}),
        }

    def lines(self) -> Iterator[str]:
        """The same for people."""
        if self.note:
            yield self.note
        yield from _shown("shared", [line + _times(k1, k2) for line, k1, k2 in self.shared])
        for name, only in (("only in the first", self.first_only), ("only in the second", self.second_only)):
            yield from _shown(name, [line + _times(k) for line, k in only])


@dataclass(frozen=True, slots=True)
class Pairing:
    """Children of two positions as they were paired, with their similarity to the parent or the root."""

    pairs: tuple[tuple[str, float, str, float], ...]
    """Ascending by similarity."""
    unpaired: tuple[tuple[str, float], ...]

    def answer(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "pairs": [
                {"first": one, "first_similarity": p, "second": two, "second_similarity": q}
                for one, p, two, q in self.pairs
            ],
            "unpaired": [{"move": move, "similarity": p} for move, p in self.unpaired],
        }

    def lines(self) -> Iterator[str]:
        """The same for people, the farthest pairs first: they cost most."""
        farthest = sorted(self.pairs, key=lambda pair: -abs(pair[1] - pair[3]))
        yield from _shown("paired", [f"{one} {p:.4f} - {two} {q:.4f}" for one, p, two, q in farthest])
        yield from _shown("without a partner", [f"{move} {p:.4f}" for move, p in self.unpaired])


@dataclass(frozen=True, slots=True)
class Ends:
    """How the game ended in each position."""

    first: str
    second: str

    def answer(self) -> dict[str, Any]:
        """The same for JSON."""
        return {"first": self.first, "second": self.second}

    def lines(self) -> Iterator[str]:
        """The same for people."""
        yield f"first: {self.first}"
        yield f"second: {self.second}"


def explanation(comparison: Comparison, fen1: str, fen2: str) -> Overlap | Pairing | Ends:
    """What `Comparison.of` these positions rests on, from the plain definitions; raises as that does.

    The lines are those of the measure: moves for continuations, order-free sequences for sequences and tanimoto, lines
    in their order for tree-edit, and for structural and sampled the children.
    """
    if comparison.measure is Measure.TERMINAL:
        return Ends(_end(fen1), _end(fen2))
    depth = comparison.plies
    by_children = comparison.measure in BY_CHILDREN
    t1, t2 = (chess_tree(fen, depth + by_children, comparison.labels) for fen in (fen1, fen2))
    if by_children:
        return _pairing(comparison, t1, t2)
    counts: list[Counter[str]]
    note = ""
    match comparison.measure:
        case Measure.CONTINUATIONS:
            counts = [Counter(tree.labels(depth)) for tree in (t1, t2)]
        case Measure.TREE_EDIT:
            counts = [Counter(" ".join(line) for line in tree.lines(depth) if line) for tree in (t1, t2)]
            note = _edits(t1, t2, comparison.of(fen1, fen2).value)
        case _:
            lines = (tree.lines(depth) for tree in (t1, t2))
            counts = [Counter(" ".join(sorted(line)) for line in each if len(line) == depth) for each in lines]
    k1, k2 = counts
    return Overlap(
        tuple((line, k1[line], k2[line]) for line in sorted(k1.keys() & k2.keys())),
        tuple((line, k1[line]) for line in sorted(k1.keys() - k2.keys())),
        tuple((line, k2[line]) for line in sorted(k2.keys() - k1.keys())),
        note,
    )


def _edits(t1: Tree, t2: Tree, similarity: float) -> str:
    whole = t1.edges + t2.edges
    # P_tree = 1 - 2e / (whole + e), solved for e.
    edits = round((1 - similarity) * whole / (1 + similarity))
    return f"trees of {t1.edges:,} and {t2.edges:,} moves, {edits:,} edits apart"


def _pairing(comparison: Comparison, t1: Tree, t2: Tree) -> Pairing:
    c1, c2 = len(t1.children), len(t2.children)

    def replies(parent: Tree) -> list[Reply]:
        children = list(parent.children)
        if comparison.measure is Measure.SAMPLED:
            children = drawn(parent, share(CHILDREN, len(children), max(c1, c2)))
        return [(_shared(child, parent, comparison.plies), label) for label, child in children]

    p, q = replies(t1), replies(t2)
    p.sort()
    q.sort()
    found = sorted(pairing(p, q))
    left = Counter(p) - Counter(x for x, _ in found) + (Counter(q) - Counter(y for _, y in found))
    return Pairing(
        tuple((x[1], x[0], y[1], y[0]) for x, y in found),
        tuple((label, similarity) for similarity, label in sorted(left.elements())),
    )


def _shared(child: Tree, parent: Tree, depth: int) -> float:
    """Share of the moves of both trees that are in both, 0.0..1.0; 1.0 if neither has any."""
    one, other = child.labels(depth), parent.labels(depth)
    return len(one & other) / len(one | other) if one | other else 1.0


def drawn(tree: Tree, children: int, seed: int = 0) -> list[tuple[str, Tree]]:
    """``children`` (>= 1) of the tree's children with their labels, or all if there are fewer.

    Those whose labels come first by a digest under ``seed`` (0..2**64-1): the same in any order of the children, and a
    move that both trees contain is mostly drawn in both.
    """

    def place(child: tuple[str, Tree]) -> bytes:
        return blake2b(seed.to_bytes(8, "little") + child[0].encode(), digest_size=16).digest()

    return sorted(tree.children, key=place)[:children]


def share(children: int, of: int, most: int) -> int:
    """How many to draw ``of`` so many if ``children`` are drawn of ``most``: in proportion, halves up, at least one."""
    return of if children >= most else max(1, (2 * children * of + most) // (2 * most))


def _end(fen: str) -> str:
    names = {None: "the game goes on", -1.0: "White is mated", 0.0: "stalemate", 1.0: "Black is mated"}
    return names[game_end(fen)]


def _times(*times: int) -> str:
    return "" if set(times) == {1} else f"  ({' and '.join(f'{k}x' for k in times)})"


def _shown(name: str, items: list[str]) -> Iterator[str]:
    yield f"{name}: {len(items):,}"
    yield from (f"  {item}" for item in items[:SHOWN])
    if len(items) > SHOWN:
        yield f"  ... {len(items) - SHOWN:,} more"
