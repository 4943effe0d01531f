"""Figures in the README and the guides, from one file that a command writes.

``python -m workshop.figures`` reads the pages that other commands wrote (``docs/research``), the bundled library and
the example games. It writes ``docs/research/figures.json`` and fills the marked places of the documents::

    The bundled library has <!-- figure: traps.lines -->129<!-- /figure --> lines.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from db.formats.bundled import add_bundled, bundled_non_traps, bundled_prover, bundled_traps
from db.library.open import open_library
from db.traps.terms import Outcome
from trapcore.errors import InputError
from workshop.write_report import write_text

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "research" / "figures.json"
DOCUMENTS = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_MARK = re.compile(r"(<!-- figure: ([a-z0-9._-]+) -->)(.*?)(<!-- /figure -->)")
_COVERAGE, _ACCURACY = "coverage.md", "accuracy.md"
_ENGINE_ALONE = ("1,000", "4,000", "16,000", "64,000", "4,000, then 32,000")
_WITH_ENGINE = "trapline with the engine, 100,000 nodes"


def figures() -> dict[str, str]:
    """Every figure by its name, as it stands in a text. Raises `InputError` for a page without its table."""
    return dict(sorted([*_of_the_library(), *_of_coverage(), *_of_accuracy()]))


def filled(text: str, known: Mapping[str, str]) -> str:
    """The text with its marked places filled. Raises `InputError` for a name that no figure has."""

    def put(mark: re.Match[str]) -> str:
        begin, name, _, end = mark.groups()
        if name not in known:
            raise InputError(f"there is no figure {name}; docs/research/figures.json lists the figures")
        return f"{begin}{known[name]}{end}"

    return _MARK.sub(put, text)


def names_in(text: str) -> set[str]:
    """The names of the figures that a text has places for."""
    return {name for _, name, _, _ in _MARK.findall(text)}


def _of_the_library() -> Iterator[tuple[str, str]]:
    traps = bundled_traps()
    with (
        TemporaryDirectory(prefix="trapline-figures-") as folder,
        open_library(Path(folder) / "bundled.sqlite", create=True) as library,
    ):
        add_bundled(library, bundled_prover())
        counts = library.counts()
    mates = sum(trap.outcome is Outcome.MATE for trap in traps)
    numbers = {
        "lines": len(traps),
        "families": len({trap.family for trap in traps}),
        "mates": mates,
        "gains": len(traps) - mates,
        "proved": counts.proved,
        "proved-gains": counts.proved - mates,
        "undecided": counts.undecided,
        "refuted-lines": len(bundled_non_traps()),
        "in-all": counts.traps,
    }
    yield from ((f"traps.{name}", f"{number:,}") for name, number in numbers.items())
    games = (ROOT / "examples" / "games.pgn").read_text("utf-8")
    yield "examples.games", str(len(re.findall(r"^\[Event ", games, re.MULTILINE)))


def _of_coverage() -> Iterator[tuple[str, str]]:
    page = _page(_COVERAGE)
    games = re.search(r"^([\d,]+) games of ", page, re.MULTILINE)
    if games is None:
        raise InputError(f"{_COVERAGE} does not say how many games it has")
    yield "coverage.games", games[1]
    for row, name in (("losing moves told", "told"), ("claims that agree", "agree")):
        for column, way in ((1, "alone"), (2, "engine")):
            cell = _cell(page, "| figure ", row, column)
            share, counts = cell.split(" (")[0], cell.partition("(")[2].partition(";")[0]
            yield f"coverage.{way}.{name}", _percent(share)
            yield f"coverage.{way}.{name}-counts", counts
    runs = "| run "
    yield "coverage.alone.speed", _cell(page, runs, "trapline", 1)
    yield "coverage.alone.times", _cell(page, runs, "trapline", 6)
    yield "coverage.engine.speed", _cell(page, runs, _WITH_ENGINE, 1)
    yield "coverage.engine.times", _cell(page, runs, _WITH_ENGINE, 6)
    for nodes in _ENGINE_ALONE:
        name, row = (
            f"coverage.stockfish-{re.sub('[^0-9]+', '-', nodes.replace(',', ''))}",
            f"engine alone, {nodes} nodes",
        )
        yield f"{name}.told", _percent(_cell(page, runs, row, 2))
        yield f"{name}.agree", _percent(_cell(page, runs, row, 4))
        yield f"{name}.speed", _cell(page, runs, row, 1)


def _of_accuracy() -> Iterator[tuple[str, str]]:
    page = _page(_ACCURACY)
    orders = "| order "
    first = "abstracted trees, shortlist of 16"
    yield "killers.puzzles", _cell(page, orders, first, 1)
    yield "killers.first", _percent(_cell(page, orders, first, 2), digits=1)
    yield "killers.first-three", _percent(_cell(page, orders, first, 3), digits=1)
    for row, name in (
        ("checks, then captures MVV-LVA", "checks"),
        ("search of 3 plies with exchanges", "search"),
        ("sequences", "paper"),
    ):
        yield f"killers.{name}", _percent(_cell(page, orders, row, 2), digits=1)
    clean = re.search(r"Negatives: ([\d,]+) clean moves", page)
    if clean is None:
        raise InputError(f"{_ACCURACY} does not say how many clean moves it has")
    yield "detection.clean", clean[1]
    flagged = _cell(page, "| score ", "best proposal, shortlist of 16", 5)
    yield "detection.flagged", flagged.partition("(")[2].rstrip(")")


def _page(name: str) -> str:
    return (ROOT / "docs" / "research" / name).read_text("utf-8")


def _cell(page: str, table: str, row: str, column: int) -> str:
    """A cell of the first table whose head begins so, by the text of its row's first cell; columns count from 0."""
    lines = page.partition(f"\n{table}")[2].partition("\n\n")[0].splitlines()
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == row:
            return cells[column]
    raise InputError(f"there is no row {row!r} in the table that begins with {table!r}")


def _percent(share: str, digits: int = 0) -> str:
    """``79 %`` for ``.793``."""
    return f"{100 * float(share):.{digits}f} %"


def main() -> int:
    """Write the file and fill the documents."""
    known = figures()
    write_text(FILE, json.dumps(known, indent=1) + "\n")
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        if (new := filled(text, known)) != text:
            write_text(path, new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
