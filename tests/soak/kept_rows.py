"""What the server acknowledged in a soak, compared with the library."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from db.library.open import open_library
from db.storage.tables import GameRow, PracticeReviewRow
from tests.soak.report import Row
from tests.soak.writers import Acknowledged


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
