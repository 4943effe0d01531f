"""Rows of the benchmark table and how they are measured."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison; ``ratio`` is ours over the reference where more is better, ``target`` the least acceptable."""

    what: str
    ours: str
    reference: str
    ratio: float | None = None
    target: float | None = None

    @property
    def reached(self) -> bool | None:
        """None where nothing was promised."""
        return None if self.target is None or self.ratio is None else self.ratio >= self.target


def cpu_seconds(work: Callable[[], object], repetitions: int = 3) -> float:
    """Median processor time of this process over some runs, after one that is not counted."""
    times = []
    for counted in range(repetitions + 1):
        start = time.process_time()
        work()
        if counted:
            times.append(time.process_time() - start)
    return sorted(times)[len(times) // 2]


def show(title: str, rows: list[Row]) -> None:
    """Print the rows of one benchmark."""
    table = Table(title=title, title_justify="left")
    for heading in ("what", "trapline", "reference", "ratio", "target", "reached"):
        table.add_column(heading, justify="right" if heading in ("ratio", "target") else "left")
    for row in rows:
        table.add_row(
            row.what,
            row.ours,
            row.reference,
            "" if row.ratio is None else f"{row.ratio:,.2f}",
            "" if row.target is None else f"{row.target:,g}",
            {None: "", True: "yes", False: "NO"}[row.reached],
        )
    Console(width=150).print(table)
