"""Intervals of shares and means are those of scipy."""

import math

import pytest
from scipy import stats  # type: ignore[import-untyped]

from trapcore.statistics import wilson
from workshop.report import mean_and_error


@pytest.mark.parametrize(("hits", "tries"), [(1, 10), (0, 5), (5, 5), (300, 7000)])
def test_interval_of_a_share_is_wilsons(hits: int, tries: int) -> None:
    expected = stats.binomtest(hits, tries).proportion_ci(method="wilson")
    assert wilson(hits, tries) == pytest.approx((expected.low, expected.high), abs=1e-5)


def test_error_of_a_mean_is_half_of_its_interval() -> None:
    values = [0.0, 0.5, 1.0, 1.0]
    low, high = stats.norm.interval(0.95, loc=0.625, scale=stats.sem(values))
    assert mean_and_error(values) == pytest.approx((0.625, (high - low) / 2), abs=1e-4)
    assert mean_and_error([1.0]) == (1.0, math.inf)
