"""Writes reports: Markdown with its plots, drawn by matplotlib, beside it. Nothing is ever half written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing
from workshop.report import Panel, Plot, Report, Style, markdown


def make_folder(path: Path) -> None:
    """Make a folder and those above it. Raises ``OutputError``."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {path}: {error.strerror}") from error


def write_text(path: Path, text: str) -> None:
    """Put a text file in place, UTF-8. Raises ``OutputError``; then what was there before still is."""
    _put(path, lambda building: building.write_text(text, encoding="utf-8", newline="\n"))


def write_plots(report: Report, folder: Path) -> str:
    """Draw the plots of a report as SVG, and return the Markdown that shows them."""
    shown = ""
    for plot in report.plots:
        path = folder / f"{plot.name}.svg"
        _put(path, lambda building, plot=plot: draw(plot, building))  # type: ignore[misc]
        shown += f"\n![{plot.title}]({path.name})\n"
    return shown


def write_report(report: Report, name: str, folder: Path) -> None:
    """Write ``NAME.md`` and the plots of a report. Raises ``OutputError``."""
    write_text(folder / f"{name}.md", markdown(report) + write_plots(report, folder))


def _put(path: Path, write: Callable[[Path], object]) -> None:
    try:
        with replacing(path) as building:
            write(building)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def draw(plot: Plot, path: Path) -> None:
    """Write the plot as SVG to ``path``; the same plot gives the same bytes with the same matplotlib.

    Raises ``OSError`` if the file cannot be written.
    """
    columns = min(2, len(plot.panels))
    rows = -(-len(plot.panels) // columns)
    # Names of things inside an SVG are random unless salted; text stays text, so that it can be searched.
    with matplotlib.rc_context({"svg.hashsalt": plot.name, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(5.2 * columns, 4.2 * rows), layout="constrained")
        FigureCanvasSVG(figure)
        figure.suptitle(plot.title)
        axes = figure.subplots(rows, columns, squeeze=False).flatten()
        for panel, place in zip(plot.panels, axes, strict=False):
            _draw_panel(panel, place)
        for place in axes[len(plot.panels) :]:
            place.set_axis_off()
        figure.savefig(path, format="svg", metadata={"Date": None})


def _draw_panel(panel: Panel, axes: Any) -> None:
    bars = [series for series in panel.series if series.style is Style.BARS]
    width = 0.8 / max(1, len(bars))
    for series in panel.series:
        if series.style is Style.BARS:
            shift = (bars.index(series) - (len(bars) - 1) / 2) * width
            axes.bar([x + shift for x in series.x], series.y, width, label=series.name)
        elif series.style is Style.DASHED and axes.lines:
            before = axes.lines[-1].get_color()
            axes.plot(series.x, series.y, label=series.name, linewidth=1.2, linestyle="--", color=before)
        else:
            axes.plot(series.x, series.y, label=series.name, linewidth=1.2, marker="o" if panel.marked else None)
    if panel.ticks:
        axes.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=30, ha="right")
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.logarithmic_x:
        axes.set_xscale("log")
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.grid(alpha=0.3)
    if len(panel.series) > 1:
        axes.legend(fontsize="small")
