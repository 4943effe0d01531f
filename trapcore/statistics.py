"""Intervals of shares, by formulas: the import of scipy.stats takes longer than most commands."""

import math
from statistics import NormalDist

CERTAINTY = 0.95
"""Of what is claimed about one thing: about all moves together, or about all themes or openings together."""
CONFIDENCE = 1.96
"""Standard errors on each side of an interval that holds the true share in 95 of 100 cases."""


def deviations(claims: int = 1) -> float:
    """So many standard deviations to either side hold in 95 % of cases for all of some claims (1 or more) together:
    Bonferroni's correction, without which some of many claims would hold by chance.
    """
    return NormalDist().inv_cdf(1 - (1 - CERTAINTY) / 2 / claims)


def is_above(one: tuple[int, int], other: tuple[int, int], z: float = CONFIDENCE) -> bool:
    """Whether the share of the first pair of hits and tries is higher beyond doubt: Wilson's intervals do not meet."""
    return bool(one[1] and other[1]) and wilson(*one, z)[0] > wilson(*other, z)[1]


def wilson(hits: int, tries: int, z: float = CONFIDENCE) -> tuple[float, float]:
    """Least and greatest share that ``hits`` of ``tries`` speak for, 0..1, by Wilson's interval, ``z`` standard
    deviations of the normal distribution to either side.

    (Wilson 1927, "Probable inference, the law of succession, and statistical inference".) Without a try, 0 and 1.
    """
    if tries == 0:
        return 0.0, 1.0
    share = hits / tries
    middle = share + z * z / (2 * tries)
    spread = z * math.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
