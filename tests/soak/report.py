"""Report of a soak: what was found, compared with what is promised."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One promise; ``passed`` is None where nothing is promised."""

    what: str
    found: str
    promised: str = ""
    passed: bool | None = None


@dataclass(frozen=True)
class SoakReport:
    """All rows, and descriptions of the broken promises."""

    rows: list[Row]
    details: list[str]

    @property
    def passed(self) -> bool:
        return all(row.passed is not False for row in self.rows)


def show(report: SoakReport) -> None:
    table = Table(title="Soak", title_justify="left")
    for heading in ("what", "found", "promised", "kept"):
        table.add_column(heading)
    for row in report.rows:
        table.add_row(row.what, row.found, row.promised, {None: "", True: "yes", False: "NO"}[row.passed])
    console = Console(width=150)
    console.print(table)
    for detail in report.details:
        console.print(detail, markup=False, highlight=False)
