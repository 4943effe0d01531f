"""What a soak of the server found, compared with what is promised."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

from sqlalchemy import select

from db.library.open import open_library
from db.storage.models import GameRow, PracticeReviewRow
from tests.soak.report import Row, SoakReport, quantile
from tests.soak.samples import Sample
from tests.soak.server.process import ServerProcess
from tests.soak.server.requests import Record
from tests.soak.server.writers import Acknowledged
from trapline.web.jobs import MAX_JOBS

PAGE_MS = 200.0
"""Longest time for all but one of a hundred pages."""

MORE_THREADS, MORE_FILES, MORE_MEMORY_MIB = 4, 6, 40.0
"""What a process may hold more of in the last quarter of its life than in the second: the first is its warming up."""

MOST_UNNAMED = MAX_JOBS + 6
"""Files without a name: the results of uploads that are kept, what is being sent, and what is being annotated."""

ENOUGH_SAMPLES = 20
"""Fewest samples of one process from which growth can be told from noise."""

ENOUGH_TIMES = 100
"""Fewest answers that have a 99th percentile."""


def report(
    server: ServerProcess, record: Record, acknowledged: Acknowledged, exit_code: int, seconds: float, games: int
) -> SoakReport:
    """Rows with the promises, when the server has stopped; ``games`` were in the library at the beginning."""
    details: list[str] = []
    rows = [Row("minutes", f"{seconds / 60:.1f}")]
    killed, full = len(server.disturbed) - len(server.died), len(server.full)
    rows.append(Row("killed and started again; times that the disk was full", f"{killed}; {full}"))
    away = [until - since for since, until in server.disturbed]
    rows.append(Row("seconds from a kill to the first answer: median, most", f"{_two(away, 1)}"))
    requests = sum(record.statuses.values())
    refused = Counter(status for (_, status), count in record.statuses.items() for _ in range(count) if status >= 400)
    rows.append(Row("requests answered", f"{requests:,}"))
    rows.append(
        Row("  refused, by status", ", ".join(f"{status} {count}" for status, count in sorted(refused.items())))
    )

    def none(what: str, found: Sequence[object]) -> None:
        rows.append(Row(what, str(len(found)), "0", not found))
        details.extend(f"{what}: {one}" for one in found[:20])

    none("ends nobody asked for", server.died)
    rows.append(Row("exit code at the end", str(exit_code), "0", exit_code == 0))
    none("answers that may not be", record.wrong)
    none("tracebacks in the log", _tracebacks(server.log))
    rows += kept_rows(server.library, acknowledged, none, games)
    none("files left behind", _left(server))
    for kind in ("page", "data", "search"):
        times = record.times.get(kind, [])
        promised = kind == "page" and len(times) >= ENOUGH_TIMES
        found = f"{quantile(times, 0.5):.0f}, {quantile(times, 0.99):.0f}, {max(times, default=0.0):.0f}"
        kept = quantile(times, 0.99) <= PAGE_MS if promised else None
        rows.append(
            Row(
                f"{len(times):,} times of the kind {kind}, ms: median, p99, most",
                found,
                f"p99 <= {PAGE_MS:g}" if kind == "page" else "",
                kept,
            )
        )
    rows += _growth(server.samples)
    return SoakReport(rows, details)


def _two(values: Sequence[float], digits: int) -> str:
    return f"{median(values):.{digits}f}, {max(values):.{digits}f}" if values else "none"


def _tracebacks(log: Path) -> list[str]:
    lines = log.read_text("utf-8", "replace").splitlines()
    return [lines[at - 1] if at else line for at, line in enumerate(lines) if line.startswith("Traceback")]


def _left(server: ServerProcess) -> list[str]:
    usual = {"library.sqlite", "library.sqlite.bags", "server.log", "work"}
    beside = [path.name for path in server.folder.iterdir() if path.name not in usual]
    return beside + [f"work/{path.name}" for path in server.work.iterdir()]


def kept_rows(
    path: Path, acknowledged: Acknowledged, none: Callable[[str, Sequence[object]], None], games: int
) -> list[Row]:
    """Rows of what was acknowledged, compared with the library; ``none`` is given what is not there."""
    with closing(sqlite3.connect(path)) as connection:
        (integrity,) = connection.execute("PRAGMA integrity_check").fetchone()
        foreign = connection.execute("PRAGMA foreign_key_check").fetchall()
    with open_library(path) as library:
        library.check_file()
        slugs = {trap.slug for trap in library.traps()}
        with library.database.read() as connection_:
            players = Counter(connection_.scalars(select(GameRow.black)))
            stored = sum(players.values())
            reviews = set(connection_.scalars(select(PracticeReviewRow.id)))
    none("acknowledged traps that are not there", sorted(acknowledged.there - slugs))
    none("acknowledged removals that were undone", sorted(acknowledged.gone & slugs))
    none("players of finished reports without all their games", [p for p in acknowledged.players if players[p] != 3])
    none("acknowledged answers of the practice that are not there", sorted(acknowledged.reviews - reviews))
    reports, answers, results = len(acknowledged.players), len(acknowledged.reviews), acknowledged.results
    return [
        Row("  acknowledged: traps added, removed", f"{len(acknowledged.there)}, {len(acknowledged.gone)}"),
        Row("  acknowledged: reports", str(reports), "> 0", reports > 0),
        Row("  acknowledged: answers of the practice", str(answers), "> 0", answers > 0),
        Row("  uploads that came back whole", str(results), "> 0", results > 0),
        Row("integrity of the library", str(integrity), "ok", integrity == "ok"),
        Row("references to rows that are not there", str(len(foreign)), "0", not foreign),
        Row("games of the beginning", str(stored), f">= {games}", stored >= games),
    ]


def _growth(samples: Sequence[Sample]) -> list[Row]:
    """Growth within the last life, which nobody ended before its time."""
    life = max((sample.life for sample in samples), default=0)
    own = [sample for sample in samples if sample.life == life]
    if len(own) < ENOUGH_SAMPLES:
        return [Row("threads, files, memory", "too short a run to tell")]
    quarter = len(own) // 4
    warm, last = own[quarter : 2 * quarter], own[-quarter:]
    rows = []
    for what, values, more in (
        ("threads", lambda s: float(s.threads), MORE_THREADS),
        ("open files with a name, and sockets", lambda s: float(s.files - s.unnamed), MORE_FILES),
        ("memory, MiB", lambda s: s.memory, MORE_MEMORY_MIB),
    ):
        first, then = median(map(values, warm)), median(map(values, last))
        rows.append(
            Row(
                f"{what}: median of the second and the last quarter of {own[-1].at - own[0].at:.0f} s",
                f"{first:.0f}, {then:.0f}",
                f"<= {more:g} more",
                then <= first + more,
            )
        )
    unnamed = max(s.unnamed for s in samples)
    rows.append(
        Row(
            "most files without a name: results of uploads", str(unnamed), f"<= {MOST_UNNAMED}", unnamed <= MOST_UNNAMED
        )
    )
    # Pages cannot be quicker than the machine lets them: where others compute, the second is a multiple of the first.
    found = f"{own[-1].computed - own[0].computed:.1f}, {own[-1].waited - own[0].waited:.1f}"
    rows.append(Row("  seconds that the event loop computed then, and waited for a processor", found))
    rows.append(Row("most memory of any process, MiB", f"{max(s.memory for s in samples):.0f}"))
    return rows
