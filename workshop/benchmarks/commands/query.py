"""Queries to a library of a million traps; the index of killers beside it; against usearch.

Times are of the processor, so that other work on the machine does not count; a question is everything from the `Query`
to the page. What usearch is compared with is the search for similar positions by continuations, the one measure whose
similarity it knows: its exact search over the same bits, in both colours, as ours is.
"""

import json
import random
import shutil
import time
from collections.abc import Sequence

import numpy as np
from sqlalchemy import select

from db.library.library import Library
from db.library.open import open_library
from db.query.engine import QueryEngine
from db.query.query import Query
from db.similarity.killer_index import SUFFIX, open_killer_index
from db.similarity.nearest_traps import PositionIndex
from db.storage.tables import TrapRow
from trapcore import _native
from trapcore.measures.options import IndexedMeasure
from trapcore.ranking.weights import shipped_weights
from trapcore.trees.position_key import mirror
from workshop.benchmarks.commands.million import TRAPS, million, with_pawn
from workshop.benchmarks.native.kernels import unpacked, usearch_top
from workshop.benchmarks.table import Row

QUESTIONS = 40
COMPARED = 6
"""Questions for usearch, which needs a good part of a second each."""
TYPED = ("legall", "schilling kostic", "noahs ark", "smoterd mate", "Lichess puzzle 00Sh", "puzzle", "lichess-777777",
         "fishng pole", "back rnak mate", "lichess puzle 003xY")  # fmt: skip


def rows() -> list[Row]:
    """The index of killers, questions of three kinds, and usearch."""
    path = million()
    shutil.rmtree(f"{path}{SUFFIX}", ignore_errors=True)
    weights = shipped_weights()
    table = []
    with open_library(path, read_only=True) as library:
        start, began = time.process_time(), time.monotonic()
        open_killer_index(library, weights).close()
        build, wall = time.process_time() - start, time.monotonic() - began
        figure = f"{TRAPS / build:,.0f} ({wall:.0f} s by the clock)"
        table.append(Row("index of killers, traps/s", figure, "20,000 wanted", TRAPS / build / 20_000, 1))
        engine = QueryEngine(library, measure=IndexedMeasure.ABSTRACTED)
        table += _questions(library, engine)
        table += _usearch(library)
        engine.close()
    return table


def _questions(library: Library, engine: QueryEngine) -> list[Row]:
    draw = random.Random(5)
    numbers = sorted(draw.sample(range(1, TRAPS), QUESTIONS))
    with library.database.read() as connection:
        known = list(connection.scalars(select(TrapRow.epd).where(TrapRow.id.in_(numbers))))
    strange = [f"{with_pawn(epd.split()[0], draw)} {' '.join(epd.split()[1:])}" for epd in known]
    strange = [fen for fen in strange if _is_legal(fen)]
    engine.ask(Query(fen=strange[0], similar=1))  # what is done once is counted elsewhere
    return [
        _timed("exact position", engine, [Query(fen=epd) for epd in known], 1),
        _timed("similar, top 10", engine, [Query(fen=fen, similar=10) for fen in strange], 20),
        _timed("name, family or slug, with typing errors", engine, [Query(name=text) for text in TYPED], 20),
    ]


def _usearch(library: Library) -> list[Row]:
    with library.database.read() as connection:
        positions = PositionIndex(connection)
        epds = list(connection.scalars(select(TrapRow.epd).order_by(TrapRow.id)))
    draw = random.Random(6)
    queries = [epd for epd in (_moved(epd, draw) for epd in draw.sample(epds, 2 * COMPARED)) if _is_legal(epd)][
        :COMPARED
    ]
    both = [colour for epd in queries for colour in (epd, mirror(epd))]
    bits = unpacked(map(_native.fingerprint, epds), len(epds))
    questions = unpacked(map(_native.fingerprint, both), len(both))
    start = time.process_time()
    tops = usearch_top(bits, questions)
    if tops is None:
        return [Row("usearch", "", "is not installed")]
    slow = (time.process_time() - start) / len(queries)
    start = time.process_time()
    found = [
        [
            one.similarity
            for one in positions.nearest(epd, 10, lambda numbers: {number: str(number) for number in numbers})
        ]
        for epd in queries
    ]
    fast = (time.process_time() - start) / len(queries)
    same = 0
    for number, ours in enumerate(found):
        theirs = np.sort(tops[2 * number : 2 * number + 2].ravel())[::-1]
        # A trap that is similar to the position in both colours comes once from us and twice from usearch.
        same += all(np.isclose(value, theirs, atol=1e-6).any() for value in ours) and bool(
            np.isclose(ours[0], theirs[0])
        )
    return [
        Row("similar by continuations, top 10", _ms(fast), f"usearch {_ms(slow)}", slow / fast, 10),
        Row("the same similarities", f"{same} of {len(queries)}", "all", float(same == len(queries)), 1),
    ]


def _moved(epd: str, draw: random.Random) -> str:
    board, *rest = epd.split()
    return " ".join((with_pawn(board, draw), *rest))


def _is_legal(fen: str) -> bool:
    try:
        return bool(_native.epd(fen))
    except ValueError:
        return False


def _timed(what: str, engine: QueryEngine, queries: Sequence[Query], allowed: float) -> Row:
    times, hits = [], 0
    for query in queries:
        engine.ask(query)
        start = time.process_time()
        page = engine.ask(query)
        times.append(time.process_time() - start)
        hits += len(page.hits)
        json.dumps(page.to_dict())
    mean = float(np.mean(times))
    figure = f"{_ms(mean)}, slowest {_ms(max(times))}"
    return Row(f"{what} ({hits / len(queries):.1f} hits)", figure, f"{allowed:g} ms allowed", allowed / 1000 / mean, 1)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"
