"""Losing moves that come with trapline, in the file ``bundled.tsv``, and how a library gets and gives them.

``python -m workshop.experiments.bundled_patterns`` makes the file from games that trapline plays against itself. Each
line has a position, a losing move that a player may choose there, the line that punishes it, why it loses, and the
figures of the judgement. The first line names the versions of the search and the prover that judged.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from db.library.library import Library
from db.patterns.keys import Labelled, Pattern
from db.storage.bulk import BulkInsert, BulkLookup
from db.storage.tables import BundledPatternRow, MetaRow
from db.traps.terms import Side
from trapcore import _native

FILE = "bundled.tsv"
MEANS = f"{_native.TESTER_VERSION} {_native.PROVER_VERSION}"
"""What judges a losing move, as the first line of the file names it."""
DIGEST = "bundled_patterns"
"""Key of ``meta``: which bundled patterns the library has."""

_COLUMNS = ("id", "epd", "bait", "killer_line", "mate_in", "before", "after", "settled", "causes", "mechanism", "place")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledPattern:
    """A losing move of no game. Win chances are of who makes it, -1..1."""

    epd: str
    """Before the move."""
    bait: str
    """The move, UCI."""
    killer_line: tuple[str, ...]
    """UCI, from the answer on."""
    causes: tuple[str, ...]
    """As in `db.storage.losing_rows.LosingMove`, at least one."""
    mechanism: str
    place: str
    before: float
    """With the best move."""
    after: float
    """With this one."""
    mate_in: int | None
    """Moves to the mate that it allows."""
    settled: bool
    """The win chances may be told: there are not too few pieces."""

    @property
    def cause(self) -> str:
        """The cause that explains most, of `trapcore.proof.causes.CAUSES`."""
        return self.causes[0].partition(":")[0] if self.causes else ""

    @property
    def colour(self) -> Side:
        """Who makes the move."""
        return "white" if self.epd.split()[1] == "w" else "black"

    @property
    def patterns(self) -> tuple[Pattern, Pattern, Pattern]:
        """Place, mechanism and cause."""
        return Pattern(self.place), Pattern(self.mechanism), Pattern(self.cause)

    @property
    def labelled(self) -> Labelled:
        """What it is compared by."""
        return self.epd, (self.bait, *self.killer_line), self.patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedPattern(BundledPattern):
    """A line of the file: the losing move with the rest of its judgement."""

    probability: float
    """That it costs .3 of win chance or more, 0..1, by our own search."""
    nodes: int
    """Positions that the judgement searched."""

    @classmethod
    def of_line(cls, line: str) -> "ProvedPattern":
        """A line of the file. Raises `ValueError`."""
        epd, bait, killer_line, causes, mechanism, place, *figures = line.split("\t")
        before, after, probability, nodes, mate_in, settled = figures
        return cls(
            epd=epd,
            bait=bait,
            killer_line=tuple(killer_line.split()),
            causes=tuple(causes.split()),
            mechanism=mechanism,
            place=place,
            before=float(before),
            after=float(after),
            probability=float(probability),
            nodes=int(nodes),
            mate_in=int(mate_in) if mate_in else None,
            settled=bool(int(settled)),
        )


@cache
def bundled_patterns() -> tuple[ProvedPattern, ...]:
    """The patterns of the file, in its order."""
    return tuple(map(ProvedPattern.of_line, _content().splitlines()[1:]))


@cache
def kinds() -> Mapping[tuple[str, str], int]:
    """How many of these patterns have a cause and a mechanism."""
    return Counter((pattern.cause, pattern.mechanism) for pattern in bundled_patterns())


def add_patterns(library: Library) -> None:
    """Have the library hold the bundled patterns, in place of those of another version. Raises `LibraryError`."""
    digest = blake2b(_content().encode(), digest_size=16).hexdigest()
    with library.database.write() as connection:
        if state(connection) == digest:
            return
        connection.execute(delete(BundledPatternRow))
        rows = []
        for number, each in enumerate(bundled_patterns(), 1):
            figures = (each.mate_in, each.before, each.after, each.settled)
            keys = (" ".join(each.causes), each.mechanism, each.place)
            rows.append((number, each.epd, each.bait, " ".join(each.killer_line), *figures, *keys))
        BulkInsert(connection, BundledPatternRow, _COLUMNS).insert(rows)
        connection.execute(delete(MetaRow).where(MetaRow.key == DIGEST))
        connection.execute(insert(MetaRow).values(key=DIGEST, value=digest))


def state(connection: Connection) -> str:
    """Stands for the bundled patterns that the library has; empty if it has none."""
    return connection.scalar(select(MetaRow.value).where(MetaRow.key == DIGEST)) or ""


def count(connection: Connection) -> int:
    """Number of bundled patterns."""
    return connection.scalar(select(func.count()).select_from(BundledPatternRow)) or 0


def stored_patterns(connection: Connection, numbers: Collection[int] | None = None) -> dict[int, BundledPattern]:
    """The bundled patterns of a library by number, ascending; those of ``numbers`` if given."""
    columns = [getattr(BundledPatternRow, name) for name in _COLUMNS]
    rows: Iterable[Sequence[Any]]
    if numbers is None:
        rows = connection.execute(select(*columns).order_by(BundledPatternRow.id))
    else:
        rows = BulkLookup(connection, columns, BundledPatternRow.id).find(sorted(numbers))
    return {row[0]: _of_row(row) for row in rows}


def patterns_at(connection: Connection, epd: str) -> list[BundledPattern]:
    """The bundled patterns of a library that have this position (canonical EPD)."""
    numbers = connection.scalars(select(BundledPatternRow.id).where(BundledPatternRow.epd == epd)).all()
    return list(stored_patterns(connection, numbers).values())


def _of_row(row: Sequence[Any]) -> BundledPattern:
    fields = dict(zip(_COLUMNS[1:], row[1:], strict=True))
    fields |= {name: tuple(fields[name].split()) for name in ("killer_line", "causes")}
    return BundledPattern(**fields)


@cache
def _content() -> str:
    return resources.files("db.patterns").joinpath(FILE).read_text("utf-8")
