"""The figures of an evaluation, each from plain lists."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from workshop.coverage.calibration import Bin


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an order puts the killer."""

    before: int
    """Moves that come before it."""
    tied: int
    """Moves that share its place, itself included; which of them comes first is left to chance."""

    def hit(self, most: int) -> float:
        """Probability that it is among the first ``most`` moves."""
        return min(1.0, max(0.0, (most - self.before) / self.tied))

    @property
    def rank(self) -> float:
        """Expected place, from 1."""
        return self.before + (self.tied + 1) / 2


def place(scores: Mapping[str, float], killer: str) -> Placed:
    """The killer among all moves by their scores, highest first."""
    own = scores[killer]
    return Placed(sum(score > own for score in scores.values()), sum(score == own for score in scores.values()))


def first_is(scores: Mapping[str, float], wanted: Collection[str]) -> float:
    """Probability that the first move is one of the wanted ones."""
    top = max(scores.values())
    first = [move for move, score in scores.items() if score == top]
    return sum(move in wanted for move in first) / len(first)


def falling(moves: Sequence[str]) -> dict[str, float]:
    """Scores of moves that are in an order already."""
    return {move: -float(number) for number, move in enumerate(moves)}


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: mean distance of the predicted from the observed share, over bins by their weight."""
    return sum(b.weight * abs(b.predicted - b.true) for b in bins) / sum(b.weight for b in bins)


def precision(found: Sequence[Sequence[Collection[str]]], theme: str, most: int) -> float:
    """Mean share of ``most`` neighbours that have ``theme``; ``found`` has the themes of each query's neighbours, and
    those that are missing have none."""
    return fmean(sum(theme in themes for themes in neighbours) / most for neighbours in found)


def rate_at_recall(wanted: Sequence[float], others: Sequence[float], recall: float) -> tuple[int, float]:
    """How many of the others reach the score that ``recall`` (above 0, at most 1) of the wanted ones reach, and that
    score."""
    least = sorted(wanted, reverse=True)[max(1, round(recall * len(wanted))) - 1]
    return sum(score >= least for score in others), least


def precision_at(prevalence: float, recall: float, false_rate: float) -> float:
    """Share of true ones among those flagged, where ``prevalence`` of all positions have one."""
    return prevalence * recall / (prevalence * recall + (1 - prevalence) * false_rate)
