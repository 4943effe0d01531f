"""Writes reports: Markdown with its plots beside it. Nothing is ever half written."""

from collections.abc import Callable
from pathlib import Path

from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing
from workshop import plots
from workshop.report import Report, markdown


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
        _put(path, lambda building, plot=plot: plots.draw(plot, building))  # type: ignore[misc]
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
