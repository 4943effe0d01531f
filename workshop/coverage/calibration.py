"""Stated probability that a move loses, held against the share of moves that do lose by the reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from workshop.coverage.shares import Share
from workshop.report import Panel, Plot, Series, Style, Table, number

TENTHS = tuple(i / 10 for i in range(11))
ENOUGH = 20
"""A bin of fewer moves says little, and does not count as the worst."""

Stated = tuple[float, bool]
"""The probability that was stated for a move, and whether the move loses."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of about one size."""

    low: float
    high: float
    weight: float
    """Of all that fell into it."""
    predicted: float
    """Mean of what was predicted."""
    true: float
    """Share of what came true."""
    count: int


def reliability(
    predicted: Sequence[float], true: Sequence[bool], weights: Sequence[float], edges: Sequence[float]
) -> list[Bin]:
    """Predictions in bins between ``edges``, ascending; empty bins are left out. The highest edge is in its bin."""
    bins = []
    for low, high in pairwise(edges):
        last = high == edges[-1]
        inside = [i for i, p in enumerate(predicted) if low <= p < high or (last and p == high)]
        weight = sum(weights[i] for i in inside)
        if weight:
            mean = sum(weights[i] * predicted[i] for i in inside) / weight
            share = sum(weights[i] for i in inside if true[i]) / weight
            bins.append(Bin(low, high, weight, mean, share, len(inside)))
    return bins


def brier(predicted: Sequence[float], true: Sequence[bool], weights: Sequence[float]) -> float:
    """Brier's score: mean squared difference of prediction and outcome (0 or 1), lower is better."""
    total = sum(w * (p - t) ** 2 for p, t, w in zip(predicted, true, weights, strict=True))
    return total / sum(weights)


def bins(stated: Sequence[Stated]) -> list[Bin]:
    """Moves in ten bins by their probability; empty ones are left out."""
    return reliability([p for p, _ in stated], [t for _, t in stated], [1.0] * len(stated), TENTHS)


def worst_gap(found: Sequence[Bin]) -> float | None:
    """Greatest distance of the stated from the observed share, over bins of `ENOUGH` moves; None if there are none."""
    gaps = [abs(b.predicted - b.true) for b in found if b.count >= ENOUGH]
    return max(gaps) if gaps else None


def table(found: Sequence[Bin]) -> Table:
    """The bins."""
    header = ("stated", "mean stated", "observed", "moves", "95 %", "apart")
    rows = []
    for b in found:
        observed = Share(round(b.true * b.count), b.count)
        name = f"{number(b.low, 1)} to {number(b.high, 1)}"
        rows.append((name, number(b.predicted), *observed.cells(), number(abs(b.predicted - b.true))))
    return Table(header, tuple(rows))


def plot(found: Sequence[Bin]) -> Plot:
    """Observed share against the stated one."""
    points = tuple(b.predicted for b in found), tuple(b.true for b in found)
    series = (Series("observed", *points), Series("as stated", (0.0, 1.0), (0.0, 1.0), Style.DASHED))
    panel = Panel("of moves with a stated probability", "stated", "share that loses", series, marked=True)
    return Plot("coverage-calibration", "Stated probability that a move loses", (panel,))
