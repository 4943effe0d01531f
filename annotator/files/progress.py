"""What the user sees while a run goes on and when it has ended; all of it on standard error."""

import time
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from annotator.counts import Counts
from annotator.files.plan import Plan
from db.traps.terms import KINDS, Event
from trapcore.io.streams import ByteReader


class Progress:
    """A line with games, positions per second, findings and the time left; a context manager.

    Nothing is shown if standard error is not a terminal, or with ``quiet``.
    """

    def __init__(self, plan: Plan, *, quiet: bool) -> None:
        """``plan`` says how many bytes there are to read; pipes have no length, and then no time left is shown."""
        self._console = Console(stderr=True)
        sizes = [_size(source) for target in plan.targets for source in target.sources]
        self._total = sum(size for size in sizes if size is not None) if None not in sizes else None
        self._before = 0
        self._reader: ByteReader | None = None
        self._started: float | None = None
        self._positions_at_start = 0
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("reading", total=self._total)

    def begin(self, reader: ByteReader) -> None:
        """An input is being read; the one before is done."""
        if self._reader is not None:
            self._before += self._reader.raw_offset
        self._reader = reader

    def advance(self, counts: Counts) -> None:
        """Show how far things are."""
        if self._bar.disable:
            return
        now = time.monotonic()
        if self._started is None:
            self._started = now
            self._positions_at_start = counts.positions  # of the run that is continued
        speed = (counts.positions - self._positions_at_start) / max(now - self._started, 1e-3)
        self._bar.update(
            self._task,
            completed=self._before + (self._reader.raw_offset if self._reader else 0),
            description=f"{counts.games:,} games, {speed:,.0f} positions/s, {counts.findings:,} findings",
        )

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self._bar.stop()


def summary(counts: Counts, seconds: float) -> Table:
    """What was read, found and skipped, as a table of two columns; ``seconds`` is what the run took."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("games read", f"{counts.games - counts.games_skipped:,}")
    table.add_row("positions", f"{counts.positions:,}")
    table.add_row("candidates", f"{counts.candidates:,}")
    table.add_row("moves suspected", f"{counts.suspected:,}")
    table.add_row("nodes of the proofs", f"{counts.proof_nodes:,}")
    if counts.engine:
        table.add_row(f"moves {counts.engine} was asked about", f"{counts.asked:,}")
    if counts.slips:
        table.add_row("other moves that cost something", f"{counts.slips:,}")
    table.add_row("losing moves told", f"{sum(counts.losing_moves.values()):,}")
    for kind in KINDS:
        if count := counts.losing_moves.get(kind):
            table.add_row(f"  {KINDS[kind]}", f"{count:,}")
    table.add_row("games with findings", f"{counts.with_traps:,}")
    table.add_row("games annotated", f"{counts.annotated:,}")
    for event in Event:
        if count := counts.events.get(event.value):
            table.add_row(f"  {event.value}", f"{count:,}")
    table.add_row("games skipped", f"{counts.games_skipped:,}")
    for reason, count in sorted(counts.skipped.items()):
        table.add_row(f"  {reason}", f"{count:,}")
    if counts.notes:
        table.add_row("games with notes", f"{sum(counts.notes.values()):,}")
    for reason, count in sorted(counts.notes.items()):
        table.add_row(f"  {reason}", f"{count:,}")
    table.add_row("seconds", f"{seconds:,.1f}")
    return table


def _size(source: str) -> int | None:
    path = Path(source)
    return path.stat().st_size if path.is_file() else None
