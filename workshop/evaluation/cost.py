"""What each step costs for a position, on one thread."""

from collections.abc import Callable, Sequence
from statistics import fmean
from time import perf_counter_ns

from trapcore import _native
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST
from workshop.evaluation.orders import PLAIN
from workshop.evaluation.run import Finding, Run, propose
from workshop.evaluation.sample import Puzzle
from workshop.native import _core
from workshop.report import Report, Table

TIMED = 500
"""Queries."""


def cost(run: Run) -> Finding:
    """Microseconds and moves made, of each step, over the first queries."""
    run.say("cost")
    queries = run.queries[:TIMED]
    weights, index = run.weights, run.index
    bags = {query.number: bag for query, bag in zip(queries, run.killer_bags, strict=False)}
    lazy = fmean(p.makes for p in run.lazy[:TIMED])
    full = fmean(p.makes for p in run.full[:TIMED])
    third = fmean(_core.three_plies(q.board.fen())[1] for q in queries)
    steps: list[tuple[str, Callable[[Puzzle], object], float | None]] = [
        ("order of all moves, nothing in full", lambda q: propose(weights, q.before, q.trap.bait, 0), None),
        (
            f"proposals, shortlist of {LAZY_SHORTLIST}",
            lambda q: propose(weights, q.before, q.trap.bait, LAZY_SHORTLIST),
            lazy,
        ),
        (f"proposals, shortlist of {SHORTLIST}", lambda q: propose(weights, q.before, q.trap.bait, SHORTLIST), full),
        ("what a killer is compared by", lambda q: _native.killer_tokens(q.before, q.trap.bait, [q.killer]), None),
        (f"the 10 nearest of {len(index):,} known killers", lambda q: index.top([bags[q.number]], 10), None),
        ("search of 3 plies with exchanges", lambda q: _core.three_plies(q.board.fen()), third),
        ("checks, then captures (python-chess)", PLAIN["checks, then captures MVV-LVA"], None),
    ]
    rows: list[tuple[str, ...]] = []
    for name, step, makes in steps:
        spent = microseconds(step, queries)
        rows.append((name, f"{spent:,.0f}", f"{makes:,.0f}" if makes is not None else ""))
    blocks = (
        f"The median of {len(queries):,} positions, one thread, from Python and back. Times are those of the machine "
        "it ran on. *Moves made* are means.",
        Table(("step", "microseconds", "moves made"), tuple(rows)),
    )
    return Finding(Report("Cost", blocks))


def microseconds(step: Callable[[Puzzle], object], queries: Sequence[Puzzle]) -> float:
    """Median time of a step."""
    spent = []
    for query in queries:
        began = perf_counter_ns()
        step(query)
        spent.append(perf_counter_ns() - began)
    return sorted(spent)[len(spent) // 2] / 1000
