"""How accurately both sides of a game played, by the win chances of its positions.

The formulas are lichess's: https://lichess.org/page/accuracy, and ``gameAccuracy`` in its source, lila,
``modules/analyse/src/main/AccuracyPercent.scala``. That source adds a point to each move that loses something, which
the page does not mention, because no analysis is perfect. It counts no win percent beyond those of ten pawns.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from trapcore.win_chance import win_chance

LEAST_MOVES = 2
"""Moves of each side that a game must have."""

_CEILING = win_chance(1000)
_CURVE = (103.1668100711649, -0.04354415386753951, -3.166924740191411)
_BONUS = 1.0
_WINDOW = (2, 8)  # positions
_WEIGHT = (0.5, 12.0)  # percentage points


@dataclass(frozen=True, slots=True)
class SideAccuracy:
    """How one side played."""

    accuracy: float
    """Percent, 0..100."""
    losses: tuple[float, ...]
    """Percentage points of win chance, 0..100, that each of its moves gave away."""

    @property
    def loss(self) -> float:
        """What a move gave away on average."""
        return fmean(self.losses)


@dataclass(frozen=True, slots=True)
class GameAccuracy:
    """How both sides played."""

    white: SideAccuracy
    black: SideAccuracy


def accuracy_of(chances: Sequence[float | None], *, black_begins: bool = False) -> GameAccuracy | None:
    """The figures of a game by White's win chances, -1..1, before its first move and after each.

    Leave out a position in which the game is over, as lichess does: the move that ends a game does not count. None if a
    chance is not known, or a side has fewer than `LEAST_MOVES` moves.
    """
    known = [chance for chance in chances if chance is not None]
    if len(known) < len(chances) or len(chances) <= 2 * LEAST_MOVES:
        return None
    signs = [1 if (ply % 2 == 0) is not black_begins else -1 for ply in range(len(known) - 1)]
    capped = [max(-_CEILING, min(_CEILING, chance)) for chance in known]
    losses, accuracies = _losses(known, signs), [move_accuracy(loss) for loss in _losses(capped, signs)]
    weights = _weights([_percent(chance) for chance in capped])

    def side(wanted: int) -> SideAccuracy:
        own = [ply for ply, sign in enumerate(signs) if sign == wanted]
        moves = [accuracies[ply] for ply in own]
        weighted = fmean(moves, [weights[ply] for ply in own])
        harmonic = len(moves) / sum(1 / max(1.0, move) for move in moves)
        return SideAccuracy((weighted + harmonic) / 2, tuple(losses[ply] for ply in own))

    return GameAccuracy(side(1), side(-1))


def move_accuracy(loss: float) -> float:
    """Accuracy in percent, 0..100, of a move that loses so many percentage points of win chance, 0..100."""
    if not loss:
        return 100.0
    scale, rate, shift = _CURVE
    return max(0.0, min(100.0, scale * math.exp(rate * loss) + shift + _BONUS))


def _percent(chance: float) -> float:
    return 50 + 50 * chance


def _losses(chances: Sequence[float], signs: Sequence[int]) -> list[float]:
    """What each move gave away, in percentage points, 0..100."""
    return [
        max(0.0, sign * (_percent(before) - _percent(after)))
        for sign, (before, after) in zip(signs, pairwise(chances), strict=True)
    ]


def _weights(percents: Sequence[float]) -> list[float]:
    """How much each move counts: by how much the win percent moves about it, its standard deviation in a window that
    ends after the move. The first moves share the first window."""
    moves = len(percents) - 1
    size = max(_WINDOW[0], min(_WINDOW[1], moves // 10))
    found = []
    for ply in range(moves):
        start = max(0, ply + 2 - size)
        window = percents[start : start + size]
        mean = fmean(window)
        deviation = math.sqrt(fmean((percent - mean) ** 2 for percent in window))
        found.append(max(_WEIGHT[0], min(_WEIGHT[1], deviation)))
    return found
