"""Output of the commands: tables and JSON on standard output, messages on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from db.formats.import_file import Imported
from db.games.index_games import Progress
from db.library.library import Library
from db.traps.trap import Trap
from db.wording.claims import claim, contradiction, is_rated, pawns, temptation
from db.wording.names import family_name
from trapcore.errors import InputError
from trapcore.io.plain_text import harmless_line
from trapline.echo import echo
from trapline.echo import say as say

if TYPE_CHECKING:
    from annotator.record import Recorded
    from coach.report.sheet import Sheet
    from db.wording.languages.grammar import Grammar
    from lichess.self_check import Finding

_EACH_SECONDS = 0.2


class Status:
    """A line on a terminal that is written over; nothing where standard error is no terminal."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._width = 0

    def show(self, text: str) -> None:
        """Write the text over the last one, five times a second at most."""
        now = time.monotonic()
        if self._live and now - self._last >= _EACH_SECONDS:
            shown = harmless_line(text)
            typer.echo(f"\r{shown:<{self._width}}", nl=False, err=True)
            self._last, self._width = now, len(shown)

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            typer.echo("\r" + " " * self._width + "\r", nl=False, err=True)
            self._width = 0


def report_unanswered(path: str, done: int, bad: int, *, what: str = "answered", wanted: str = "position") -> None:
    """Say how many lines of a file had no answer. Raises `InputError` if none had one."""
    if bad:
        say(f"{path}: {bad} of {done + bad} lines could not be {what}")
    if not done:
        raise InputError(f"{path}: no {wanted} could be read")


def print_json(value: object) -> None:
    """One JSON value and a line end."""
    echo(json.dumps(value, ensure_ascii=False, indent=2))


_READABLE = 10  # columns of text that a cell of a table has at least, unless it is shorter


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on a terminal, or a row after the other where it is too narrow for one; elsewhere a line a row with tabs
    between, for other programs."""
    if not sys.stdout.isatty():
        for row in rows:
            echo("\t".join(map(harmless_line, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, table = Console(), Table(title=title)
    shown = [tuple(map(harmless_line, row)) for row in rows]
    widths = [max((len(row[place]) for row in shown), default=0) for place in range(len(columns))]
    # A command to type stands whole on one line, at any width.
    whole = [column in ("slug", "trap") for column in columns]
    least = [width if typed else min(width, _READABLE) for width, typed in zip(widths, whole, strict=True)]
    if sum(least) + 3 * len(columns) + 1 > console.width:
        for row in shown:
            filled = [(column, cell) for column, cell in zip(columns, row, strict=True) if cell]
            echo("\n".join([*(f"{column}: {cell}" if column else cell for column, cell in filled), ""]))
        return
    for column, typed, width in zip(columns, whole, widths, strict=True):
        table.add_column(column, overflow="fold", no_wrap=typed, min_width=width if typed else None)
    for row in shown:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def print_sheet(sheet: Sheet) -> None:
    """A sheet as text: headings, notes, and tables, each with its caption and the names of its columns."""
    echo(f"{harmless_line(sheet.title)}\n{harmless_line(sheet.lead)}")
    for section in sheet.sections:
        echo(f"\n== {harmless_line(section.title)} ==")
        for note in section.notes:
            echo(harmless_line(note))
        for table in section.tables:
            if not sys.stdout.isatty():
                echo("\n" + harmless_line(table.caption) + "\n" + "\t".join(map(harmless_line, table.columns)))
            print_table(table.caption, table.columns, table.rows)


def hand_out(sheet: Sheet, output: str | None, language: Grammar, library: str, figures: dict[str, Any] | None) -> None:
    """Write a sheet as HTML if there is an output, and print its figures as JSON if there are some, else its text.

    The text is not printed where the HTML is. ``library``: its name, which is no output. Raises `OutputError`.
    """
    from coach.report.sheet import page
    from db.formats.export_file import write_text

    if output is not None:
        write_text(page(sheet, language), output, library=library)
    if figures is not None:
        print_json(figures)
    elif output != "-":
        print_sheet(sheet)


def print_trap(trap: Trap, library: Library) -> None:
    """Everything about one trap, a field a line."""
    bait, *killer = trap.sans()
    events = library.events(trap.slug)
    frequency = library.frequency(trap.slug)
    by_rating = library.frequencies_by_rating(trap.slug).get(trap.slug, {})
    proof = trap.proof_by and f"{trap.proof_by}, {trap.proof_nodes:,} nodes"
    if trap.proof_depth is not None:
        proof += f", depth {trap.proof_depth}"
    fields = {
        "name": trap.name,
        "slug": trap.slug,
        "family": f"{family_name(trap.family)} ({trap.family})",
        "opening": " ".join(filter(None, (trap.eco, trap.opening))),
        "moves": trap.moves or "",
        "position": trap.epd,
        "victim": trap.victim,
        "bait": bait,
        "killer line": " ".join(killer),
        "verdict": claim(trap),
        "reason": trap.reason,
        "proof": proof,
        "disputed": contradiction(trap) if trap.is_disputed else "",
        "tempts": temptation(trap.profile, frequency),
        "in the games": ", ".join(f"{event} {count:,}" for event, count in events.items()),
        "source": trap.source,
    }
    if sys.stdout.isatty():
        echo(trap.board().unicode(empty_square="·", borders=False))
    for name, value in fields.items():
        if value:
            echo(f"{name:<13} {harmless_line(value)}")
    if is_rated(by_rating):
        echo(f"\nrating     had the choice  played {bait}")
        for band, known in by_rating.items():
            echo(f"{band!s:<9}  {known.decisions:>14,}  {known.played:>{len(bait) + 7},}  {known.share:>4.0%}")
    if trap.opinions:
        echo("\nverdict    gain        nodes  depth  day         by")
    for opinion in trap.opinions:
        gain = "" if opinion.gain is None else f"{opinion.gain:.2f}"
        depth = "" if opinion.depth is None else str(opinion.depth)
        echo(f"{opinion.verdict:<9}  {gain:>4}  {opinion.nodes:>11,}  {depth:>5}  {opinion.date:<10}  {opinion.by}")
    if trap.profile is not None and trap.profile.depths:
        echo(f"\ndepth  {bait:>7}  best other move  (for {trap.victim}, in pawns)")
    for at in trap.profile.depths if trap.profile is not None else ():
        echo(f"{at.depth:>5}  {pawns(at.bait):>7}  {pawns(at.best):>15}")


def import_json(report: Imported) -> dict[str, object]:
    """The counts of an import."""
    return {
        "file": report.file,
        "read": report.read,
        **{str(result): count for result, count in sorted(report.results.items())},
        "verdicts": {str(verdict): count for verdict, count in sorted(report.verdicts.items())},
        "without_choice": report.without_choice,
        "bad": [asdict(bad) for bad in report.bad],
        "sightings": report.sightings,
        "failure": None if report.failure is None else str(report.failure),
    }


def index_json(done: Progress, recorded: Recorded | None = None) -> dict[str, object]:
    """The counts of an indexing run, and of the losing moves that were looked for."""
    looked = {} if recorded is None else {"games_looked_through": recorded.games, "losing_moves": recorded.losing_moves}
    return {
        "games": done.games,
        "new_games": done.new_games,
        "rated_games": done.rated_games,
        "resumed_games": done.resumed,
        "positions": done.positions,
        "sightings": done.sightings,
        **looked,
        "skipped": dict(sorted(done.skipped.items())),
        "failures": [str(failure) for failure in done.failures],
        "seconds": round(done.seconds, 3),
    }


def trap_count(count: int) -> str:
    """``1 trap``, ``2 traps``."""
    return f"{count:,} trap{'' if count == 1 else 's'}"


def counted(counts: Iterable[tuple[object, int]]) -> str:
    """``3 added, 1 bad``; without the zeros."""
    return ", ".join(f"{count:,} {what}" for what, count in counts if count) or "nothing"


def report_findings(findings: Iterable[Finding]) -> int:
    """Print the findings of a self-check as they come; returns the exit code, 1 if something is wrong."""
    marks = {"good": "ok       ", "bad": "WRONG    ", "unchecked": "unchecked"}
    outcomes = []
    for finding in findings:
        echo(f"{marks[finding.outcome]}  {finding.what}: {finding.message}")
        outcomes.append(finding.outcome)
    if "bad" in outcomes:
        return 1
    if "unchecked" in outcomes:
        echo("what could be checked is in order; what is marked `unchecked` was not looked at")
    return 0
