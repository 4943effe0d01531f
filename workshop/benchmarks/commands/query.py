"""Every kind of query in a library of a million traps; the index of killers beside it; against usearch.

Times are of the processor, so that other work on the machine does not count; a question is everything from the `Query`
to the page. What usearch is compared with is the search for similar positions by continuations, the one measure whose
similarity it knows: its exact search over the same bits, in both colours, as ours is.
"""

import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sqlalchemy import select

from db.library.library import Library
from db.library.open import open_library
from db.library.schema import CURSOR_SECRET
from db.query.cursor import write_cursor
from db.query.engine import QueryEngine
from db.query.query import Query, Sort
from db.similarity.killer_index import SUFFIX, open_killer_index
from db.similarity.nearest_traps import PositionIndex
from db.storage.tables import MetaRow, TrapRow
from db.traps.terms import Outcome
from db.traps.trap import Trap
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
CHANGED = 1000
TYPED = ("legall", "schilling kostic", "noahs ark", "smoterd mate", "Lichess puzzle 00Sh", "puzzle", "lichess-777777",
         "fishng pole", "back rnak mate", "lichess puzle 003xY")  # fmt: skip


def rows() -> list[Row]:
    """Building, opening, every kind of question, a change."""
    path = million()
    shutil.rmtree(f"{path}{SUFFIX}", ignore_errors=True)
    weights = shipped_weights()
    table = []
    with open_library(path, read_only=True) as library:
        start, began = time.process_time(), time.monotonic()
        open_killer_index(library, weights).close()
        build, wall = time.process_time() - start, time.monotonic() - began
        size = sum(file.stat().st_size for file in Path(f"{path}{SUFFIX}").rglob("*") if file.is_file())
        figure = f"{TRAPS / build:,.0f} ({wall:.0f} s by the clock)"
        table.append(Row("index of killers, traps/s", figure, "20,000 wanted", TRAPS / build / 20_000, 1))
        opening = _seconds(lambda: open_killer_index(library, weights).close(), 5)
        table.append(Row(f"the same opened again, {size / 1e6:.0f} MB", _ms(opening), "1 s allowed", 1 / opening, 1))
        engine = QueryEngine(library, measure=IndexedMeasure.ABSTRACTED)
        table += _questions(library, engine)
        table += _usearch(library)
        engine.close()
    table.append(_change(path))
    return table


def _questions(library: Library, engine: QueryEngine) -> list[Row]:
    draw = random.Random(5)
    numbers = sorted(draw.sample(range(1, TRAPS), QUESTIONS))
    with library.database.read() as connection:
        known = list(connection.scalars(select(TrapRow.epd).where(TrapRow.id.in_(numbers))))
    strange = [f"{with_pawn(epd.split()[0], draw)} {' '.join(epd.split()[1:])}" for epd in known]
    strange = [fen for fen in strange if _is_legal(fen)]
    engine.ask(Query(fen=strange[0], similar=1))  # what is done once is counted elsewhere
    late = replace(Query(limit=20), after=_later(engine))
    return [
        _timed("exact position", engine, [Query(fen=epd) for epd in known], 1),
        _timed("similar, top 10", engine, [Query(fen=fen, similar=10) for fen in strange], 20),
        _timed("similar, top 10 of the mates", engine, [Query(fen=f, similar=10, outcome="mate") for f in strange], 40),
        _timed("name, family or slug, with typing errors", engine, [Query(name=text) for text in TYPED], 20),
        _timed("family", engine, [Query(family="smothered-mate"), Query(family="fork"), Query(family="legal")], 20),
        _timed("ECO range", engine, [Query(eco="B10-B19"), Query(eco="C4"), Query(eco="C41")], 20),
        _timed("opening", engine, [Query(opening="Caro-Kann"), Query(opening="Sicilian")], 100),
        _timed("bait and killer", engine, [Query(bait="Bxd1"), Query(killer="Qxh7"), Query(bait="g4d1")], 100),
        _timed("victim, outcome, length", engine, [Query(victim="white", outcome="mate", min_length=3)], 20),
        _timed("dearest first, a family", engine, [Query(sort=Sort.GAIN), Query(sort=Sort.GAIN, family="fork")], 100),
        _timed("shortest first", engine, [Query(sort=Sort.LENGTH)], 20),
        _timed("first page of 20", engine, [Query()], 20),
        _timed("a page after 900,000 traps", engine, [late], 20),
    ]  # fmt: skip


def _later(engine: QueryEngine) -> str:
    """The cursor of a deep page, as if somebody had read on to there."""
    with engine.library.database.read() as connection:
        slug = connection.scalar(select(TrapRow.slug).order_by(TrapRow.slug).offset(TRAPS * 9 // 10).limit(1))
        secret = connection.scalar(select(MetaRow.value).where(MetaRow.key == CURSOR_SECRET))
    return write_cursor((str(slug),), Query(limit=20), str(secret).encode())


def _usearch(library: Library) -> list[Row]:
    with library.database.read() as connection:
        start = time.process_time()
        positions = PositionIndex(connection)
        built = time.process_time() - start
        epds = list(connection.scalars(select(TrapRow.epd).order_by(TrapRow.id)))
    draw = random.Random(6)
    queries = [epd for epd in (_moved(epd, draw) for epd in draw.sample(epds, 2 * COMPARED)) if _is_legal(epd)][
        :COMPARED
    ]
    row = Row(
        "positions by continuations, put into memory, traps/s", f"{len(epds) / built:,.0f}", "once for each state"
    )
    both = [colour for epd in queries for colour in (epd, mirror(epd))]
    bits = unpacked(map(_native.fingerprint, epds), len(epds))
    questions = unpacked(map(_native.fingerprint, both), len(both))
    start = time.process_time()
    tops = usearch_top(bits, questions)
    if tops is None:
        return [row, Row("usearch", "", "is not installed")]
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
        row,
        Row("similar by continuations, top 10", _ms(fast), f"usearch {_ms(slow)}", slow / fast, 10),
        Row("the same similarities", f"{same} of {len(queries)}", "all", float(same == len(queries)), 1),
    ]


def _change(path: Path) -> Row:
    """A thousand traps are added and the index follows; in a copy, so that the library stays as it is."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / "library.sqlite"
        shutil.copy(path, copy)
        shutil.copytree(f"{path}{SUFFIX}", f"{copy}{SUFFIX}")
        draw = random.Random(8)
        with open_library(copy) as library:
            with library.database.read() as connection:
                columns = (TrapRow.epd, TrapRow.bait, TrapRow.killer_line, TrapRow.outcome)
                some = connection.execute(select(*columns).where(TrapRow.id % (TRAPS // 3000) == 0)).all()
            traps: list[Trap] = []
            for number, (epd, bait, line, outcome) in enumerate(some):
                board, *rest = epd.split()
                fen = " ".join((with_pawn(with_pawn(board, draw), draw), *rest))
                if _is_legal(fen, bait, line.split()) and len(traps) < CHANGED:
                    traps.append(Trap(slug=f"new-{number}", name=f"New {number}", family="new", epd=_native.epd(fen),
                                      bait=bait, killer_line=tuple(line.split()),
                                      outcome=Outcome(outcome)))  # fmt: skip
            start = time.process_time()
            library.add_all([replace(trap, outcome=_outcome(trap)) for trap in traps], checked=True)
            stored = time.process_time() - start
            start = time.process_time()
            with open_killer_index(library, shipped_weights()) as index:
                assert len(index) >= TRAPS
            seconds = time.process_time() - start
    figure = f"{seconds:.1f} s, stored in {stored:.1f} s"
    return Row(f"{len(traps):,} traps more: index", figure, "10 s allowed", 10 / seconds, 1)


def _outcome(trap: Trap) -> Outcome:
    board = trap.board()
    for move in trap.line:
        board.push_uci(move)
    return Outcome.MATE if board.is_checkmate() else Outcome.MATERIAL


def _moved(epd: str, draw: random.Random) -> str:
    board, *rest = epd.split()
    return " ".join((with_pawn(board, draw), *rest))


def _is_legal(fen: str, bait: str | None = None, line: Sequence[str] = ()) -> bool:
    try:
        return bool(_native.epd(fen)) and (bait is None or bool(_native.killer_tokens(fen, bait, list(line))))
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


def _seconds(work: Callable[[], object], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"
