"""Two saved runs of the benchmarks side by side.

Times of two runs say more about the machines than about the program, so runs are compared by their ratios to a
reference of the same run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.table import Table

from workshop.benchmarks.saved_runs import Run
from workshop.benchmarks.table import Row

NOTABLE = 0.05
"""A ratio that changed by more than this share of it is named."""

Change = Literal["higher", "lower", "same", "no ratio", "only in the first", "only in the second"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A row of two runs."""

    benchmark: str
    what: str
    first: Row | None
    second: Row | None

    @property
    def change(self) -> float | None:
        """Second ratio over the first; None where a row or a ratio is missing or 0."""
        if self.first is None or self.second is None or not self.first.ratio or self.second.ratio is None:
            return None
        return self.second.ratio / self.first.ratio

    @property
    def kind(self) -> Change:
        """What happened to the ratio; more is better."""
        if self.first is None:
            return "only in the second"
        if self.second is None:
            return "only in the first"
        if self.change is None:
            return "no ratio"
        if abs(self.change - 1) <= NOTABLE:
            return "same"
        return "higher" if self.change > 1 else "lower"


def compare_runs(first: Run, second: Run) -> list[Comparison]:
    """The rows of both runs: those of the first in its order, then those that only the second has."""
    mine, others = _by_name(first), _by_name(second)
    return [Comparison(*name, mine.get(name), others.get(name)) for name in dict.fromkeys([*mine, *others])]


def _by_name(run: Run) -> dict[tuple[str, str], Row]:
    return {(name, row.what): row for name, rows in run.benchmarks.items() for row in rows}


def show_comparisons(rows: Sequence[Comparison]) -> None:
    """Print the rows of two runs side by side."""
    table = Table(title="second over first", title_justify="left")
    for heading in ("benchmark", "what", "first", "second", "ratio", "ratio", "change", ""):
        table.add_column(heading, justify="right" if heading in ("ratio", "change") else "left")
    for row in rows:
        first, second = row.first, row.second
        table.add_row(
            row.benchmark,
            row.what,
            "" if first is None else first.ours,
            "" if second is None else second.ours,
            "" if first is None or first.ratio is None else f"{first.ratio:,.2f}",
            "" if second is None or second.ratio is None else f"{second.ratio:,.2f}",
            "" if row.change is None else f"{row.change:.2f}",
            "" if row.kind == "same" else row.kind,
        )
    Console(width=150).print(table)
