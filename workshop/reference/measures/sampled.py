"""Structural similarity, estimated from some of the children.

Source: Evans & Turrini, section 3.1, who propose to sample children and leave it to further work. Sampling alone loses
what the measure mostly consists of, the difference in the number of children; that number is cheap to have exactly, so
here only the distance of the paired children is estimated: (|c1 - c2| + min(c1, c2) * mean distance of the sampled
pairs) / max(c1, c2), from one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.comparison import CHILDREN
from trapcore.measures.overlap import drawn, share
from trapcore.trees.tree import Tree
from workshop.reference.measures import continuations
from workshop.reference.measures.structural import BaseOptions, TreeSimilarity, base_arguments, cheapest_pairing


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated similarity."""

    value: float
    """0.0..1.0. Few samples differ more than the whole lists do, so it is too low rather than too high."""
    standard_error: float
    """How far the value scatters from sample to sample, >= 0.0, by the jackknife; 0.0 if every child was drawn. It does
    not hold the bias, which falls with the size of the sample, and with one child it is the widest possible."""


def of_trees(
    t1: Tree,
    t2: Tree,
    children: int,
    seed: int = 0,
    base: TreeSimilarity = continuations.of_trees,
    depth: int = 1,
) -> Estimate:
    """S of two trees by the formula (`Unpaired.FORMULA`), estimated from some children of each.

    ``children`` (>= 1) are drawn of the tree that has more, or all, and of the other its share (at least one), so that
    there is as much choice of partners as in the whole. The trees must reach ``depth + 1``. Raises ``UsageError`` for
    fewer than one child or a seed outside 0..2**64-1.
    """
    check(children, seed)
    c1, c2 = len(t1.children), len(t2.children)
    fewest, most = min(c1, c2), max(c1, c2)
    if fewest == 0:
        return Estimate(0.0 if most else 1.0, 0.0)
    p, q = (
        sorted(base(child, tree, depth) for _, child in drawn(tree, share(children, len(tree.children), most), seed))
        for tree in (t1, t2)
    )
    variance = _variance(p, c1, lambda rest: _mean_distance(rest, q)) + _variance(
        q, c2, lambda rest: _mean_distance(p, rest)
    )
    distance = (most - fewest + fewest * _mean_distance(p, q)) / most
    return Estimate(1.0 - distance, fewest / most * variance**0.5)


def check(children: int, seed: int) -> None:
    """Raises ``UsageError`` unless ``children`` is at least 1 and ``seed`` 0..2**64-1."""
    if children < 1:
        raise UsageError(f"at least 1 child must be drawn, not {children}")
    if not 0 <= seed < 2**64:
        raise UsageError(f"the seed must be 0..2**64-1, not {seed}")


def _mean_distance(p: list[float], q: list[float]) -> float:
    pairs = min(len(p), len(q))
    return cheapest_pairing(p, q) / pairs if pairs else 0.0


def _variance(sample: list[float], size: int, mean: Callable[[list[float]], float]) -> float:
    """Jackknife variance of ``mean`` over the sample, of a population of ``size``: none is left when all are drawn."""
    n = len(sample)
    if n < 2:
        # One child says nothing about the others: the widest spread that numbers from 0 to 1 can have.
        return 0.0 if n == size else 0.25
    left_out = [mean(sample[:i] + sample[i + 1 :]) for i in range(n)]
    centre = sum(left_out) / n
    return (1 - n / size) * (n - 1) / n * sum((x - centre) ** 2 for x in left_out)


def of_positions(
    fen1: str, fen2: str, *, children: int = CHILDREN, seed: int = 0, **base: Unpack[BaseOptions]
) -> Estimate:
    """S of two chess positions, estimated from ``children`` (>= 1) of each, with the options of its base.

    Raises ``PositionError`` for a bad FEN and ``UsageError`` for an option that does not exist or is out of range.
    """
    check(children, seed)
    found = _native.sampled_structural(
        fen1,
        fen2,
        *base_arguments(base),
        # No position has more moves; the core counts in machine words.
        min(children, 1 << 16),
        seed,
    )
    return Estimate(*found)
