"""Stated probability that a move loses, held against the share of moves that do lose by the reference."""

from collections.abc import Sequence

from workshop.coverage.shares import Share
from workshop.evaluation.metrics import Bin, reliability
from workshop.report import Panel, Plot, Series, Style, Table, number

TENTHS = tuple(i / 10 for i in range(11))
ENOUGH = 20
"""A bin of fewer moves says little, and does not count as the worst."""

Stated = tuple[float, bool]
"""The probability that was stated for a move, and whether the move loses."""


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


def content(found: Sequence[Bin]) -> dict[str, object]:
    """For JSON."""
    rows = [{"low": b.low, "high": b.high, "stated": b.predicted, "observed": b.true, "moves": b.count} for b in found]
    return {"bins": rows, "worst_gap": worst_gap(found), "of_bins_with_at_least": ENOUGH}
