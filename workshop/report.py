"""What an experiment says: text, tables and plots; as Markdown that can be read in a terminal, too."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

from trapcore.statistics import CONFIDENCE


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; every row is as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Style(StrEnum):
    """How a series is drawn."""

    LINE = "line"
    DASHED = "dashed"
    """A dashed line in the colour of the series before it."""
    BARS = "bars"


@dataclass(frozen=True, slots=True)
class Series:
    """Points with a name; ``x`` and ``y`` are equally long."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: Style = Style.LINE


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    ticks: tuple[str, ...] = ()
    """Names of x = 0, 1, 2 …, for bars."""
    logarithmic: bool = False
    """Of the y axis."""
    logarithmic_x: bool = False
    marked: bool = False
    """Each point is marked on its line."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture: its panels stand side by side, two in a row."""

    name: str
    """File name without suffix."""
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What one experiment found."""

    title: str
    blocks: tuple[str | Table, ...]
    """Paragraphs and tables in their order."""
    plots: tuple[Plot, ...] = ()


def number(value: float, digits: int = 3) -> str:
    """``value`` as the paper prints it: ``.625``, ``1``, ``-.021``; with ``digits`` decimals."""
    text = f"{value:.{digits}f}"
    if float(text) in (0.0, 1.0, -1.0):
        return str(int(float(text)))
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text


def markdown(report: Report, level: int = 1) -> str:
    """The report as Markdown, its title a heading of ``level`` (>= 1); ends with a line end."""
    parts = [f"{'#' * level} {report.title}"]
    parts += ["\n".join(_rows(block)) if isinstance(block, Table) else block for block in report.blocks]
    return "\n\n".join(parts) + "\n"


def _rows(table: Table) -> Iterator[str]:
    lines = [[cell.replace("|", "\\|") for cell in line] for line in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    yield line(lines[0])
    yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    yield from map(line, lines[1:])


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of some values, and half of its interval of 95 %; infinite for a single value."""
    error = CONFIDENCE * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return fmean(values), error
