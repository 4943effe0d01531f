"""How well a number tells some positions from others: at a threshold, and at all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Shares of mistakes at one threshold, each 0.0..1.0."""

    false_negatives: float
    """Of the traps: those that are not above the threshold."""
    false_positives: float
    """Of the others: those that are above it."""


def mistakes(scores: Sequence[float], wanted: Sequence[bool], threshold: float | None = None) -> Mistakes:
    """What a ``threshold`` gets wrong, the mean of all scores unless given (section 4).

    There must be scores of both kinds. Raises ``ZeroDivisionError`` otherwise.
    """
    limit = fmean(scores) if threshold is None else threshold
    traps = sum(wanted)
    missed = sum(want and score <= limit for score, want in zip(scores, wanted, strict=True))
    wrong = sum(not want and score > limit for score, want in zip(scores, wanted, strict=True))
    return Mistakes(missed / traps, wrong / (len(wanted) - traps))


def _steps(scores: Sequence[float], wanted: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Wanted ones and others above each threshold, from the highest score down; equal scores are one step."""
    hits = others = 0
    best_first = sorted(zip(scores, wanted, strict=True), reverse=True)
    for _, tied in groupby(best_first, key=lambda pair: pair[0]):
        for _, want in tied:
            hits += want
            others += not want
        yield hits, others


def roc(scores: Sequence[float], wanted: Sequence[bool]) -> list[tuple[float, float]]:
    """The ROC curve: false and true positive rates, from (0, 0) to (1, 1). There must be scores of both kinds."""
    traps = sum(wanted)
    rest = len(wanted) - traps
    return [(0.0, 0.0), *((others / rest, hits / traps) for hits, others in _steps(scores, wanted))]


def auc(scores: Sequence[float], wanted: Sequence[bool]) -> float:
    """Area under the ROC curve: how often a wanted one has the higher score, ties counting half. .5 is chance."""
    curve = roc(scores, wanted)
    return sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise(curve))


def average_precision(scores: Sequence[float], wanted: Sequence[bool]) -> float:
    """Mean precision over the wanted ones, each at the threshold that lets it in. Chance is their share of all."""
    total, before = 0.0, 0
    for hits, others in _steps(scores, wanted):
        total += (hits - before) * hits / (hits + others)
        before = hits
    return total / before
