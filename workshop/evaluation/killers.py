"""How often the killer is among the first moves, beside every baseline."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from trapcore import _native
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST, Weights
from workshop.evaluation import neighbours
from workshop.evaluation.metrics import Placed, falling, first_is, place
from workshop.evaluation.neighbours import Turned
from workshop.evaluation.orders import PLAIN, Scores
from workshop.evaluation.run import GROWTH, Finding, Run
from workshop.evaluation.sample import Puzzle
from workshop.report import Report, Table, number

SLOW = 1000
"""Queries for the baselines that compare positions, and for retrieval alone."""
SLOWEST = 200
"""Queries for structural similarity and move matching."""
RETRIEVED = 5
"""Known killers that a move is compared with where it is ordered by retrieval alone."""
SEED = 7
RATINGS = ((0, 1000), (1000, 1400), (1400, 1800), (1800, 10_000))

FULL = f"abstracted trees, shortlist of {SHORTLIST}"
LAZY = f"abstracted trees, shortlist of {LAZY_SHORTLIST}"


@dataclass(frozen=True)
class Order:
    """An order of the moves of the first few queries."""

    name: str
    placed: list[Placed]
    any_mate: list[float]
    """Probability that the first move is the killer, or mates where the killer mates at once."""

    @classmethod
    def of(cls, name: str, queries: Sequence[Puzzle], scores: Sequence[Scores]) -> "Order":
        """From the scores of the first few queries' moves."""
        pairs = list(zip(queries, scores, strict=False))
        return cls(name, [place(s, q.killer) for q, s in pairs], [first_is(s, q.mating) for q, s in pairs])


def killers(run: Run) -> Finding:
    """The orders of all queries, ours and the others."""
    queries = run.queries
    orders = [_plain(run, name, order) for name, order in PLAIN.items()]
    orders += _by_neighbours(run)
    orders.append(_by_retrieval(run))
    ours = [
        Order.of(name, queries, [falling(p.moves) for p in proposed])
        for name, proposed in ((LAZY, run.lazy), (FULL, run.full))
    ]
    orders += ours
    shown = [o for o in orders if o.name in (*PLAIN, LAZY, FULL) and o.name != "random"]
    growth = _growth(run, ours)
    blocks = (
        f"{len(queries):,} puzzles of games that are not in the library of {len(run.sample.library):,}. Each order "
        "ranks all legal moves after the bait. The puzzle's first move has to come first (hit@1), or among the first 3 "
        "or 5. Moves that an order does not tell apart share their places. In a mate in one other moves may mate as "
        "well: *any mate* counts them. A *quiet* killer neither takes, checks nor promotes. Slow orders ran on the "
        f"first {SLOW:,} or {SLOWEST} queries, as the column *n* says.",
        _table(queries, orders),
        f"By neighbours: the {neighbours.VOTES} nearest positions of the library vote for the move of the same name as "
        f"their killer. By move matching: the {neighbours.MATCHED} nearest by structural similarity map theirs. They "
        f"come from the {neighbours.CANDIDATES} positions with the closest number of moves. By retrieval: each "
        f"shortlisted move is worth the mean similarity of its {RETRIEVED} nearest known killers. trapline proposes "
        "the order of the learned weights. Retrieval gives the name and the reason, and does not improve the order.",
        "hit@1 by rating of the puzzle:",
        _ratings(queries, shown),
        "By the size of the library that the weights were learned from:",
        Table(
            ("traps", "order", "hit@1", "hit@3", "hit@5", "mean rank"),
            tuple((f"{size:,}", o.name, *_hits(o.placed)) for size, o in growth),
        ),
    )
    brief = [("killer hit@1, " + o.name, number(hit(o.placed, 1))) for o in orders if o in shown]
    return Finding(Report("Killers", blocks), brief)


def hit(placed: Sequence[Placed], most: int) -> float:
    """Mean probability that the killer is among the first ``most``; 0 of nothing."""
    return fmean(p.hit(most) for p in placed) if placed else 0.0


def _plain(run: Run, name: str, order: Callable[[Puzzle], Scores]) -> Order:
    run.say(f"order: {name}")
    return Order.of(name, run.queries, run.each(order, run.queries))


def _by_neighbours(run: Run) -> list[Order]:
    run.say("turning positions")
    queries = run.queries[:SLOW]
    library = run.each(Turned.of, run.sample.library)
    queried = run.each(Turned.of, queries)
    found = {
        f"{neighbours.VOTES} random traps": neighbours.by_chance(library, queried, SEED),
        "nearest boards": neighbours.by_board(library, queried),
        "continuations": neighbours.by_continuations(library, queried),
    }
    run.say("neighbours by sequences and by structure")
    found["sequences"] = neighbours.by_sequences(library, queried)
    found["structural similarity"] = neighbours.by_structure(library, queried[:SLOWEST])
    orders = []
    for name, nearest in found.items():
        scores = [neighbours.voted(q, near, library) for q, near in zip(queried, nearest, strict=False)]
        orders.append(Order.of(name, queries, scores))
    structure = found["structural similarity"]
    matched = [neighbours.matched(q, near, library) for q, near in zip(queried, structure, strict=False)]
    orders.append(Order.of("move matching", queries, matched))
    return orders


def _by_retrieval(run: Run) -> Order:
    run.say("order by retrieval")
    queries = run.queries[:SLOW]
    scores: list[Scores] = []
    for query, proposed in zip(queries, run.full, strict=False):
        first = proposed.moves[:SHORTLIST]
        bags = [_native.killer_tokens(query.before, query.trap.bait, [move]) for move in first]
        found = run.index.top(bags, RETRIEVED, jobs=run.jobs)
        worth = {m: sum(s for _, s in hits) / RETRIEVED for m, hits in zip(first, found, strict=True)}
        scores.append({move: worth.get(move, -1.0) for move in proposed.moves})
    return Order.of("retrieval alone", queries, scores)


def _growth(run: Run, ours: Sequence[Order]) -> list[tuple[int, Order]]:
    found = []
    for size in (size for size in GROWTH if size < len(run.sample.library)):
        run.say(f"learning from {size:,} traps")
        weights = run.learn(run.sample.library[:size])
        found += [(size, _proposed(run, weights, short)) for short in (LAZY_SHORTLIST, SHORTLIST)]
    return found + [(len(run.sample.library), order) for order in ours]


def _proposed(run: Run, weights: Weights, shortlist: int) -> Order:
    name = FULL if shortlist == SHORTLIST else LAZY
    return Order.of(name, run.queries, [falling(p.moves) for p in run.proposed(weights, shortlist)])


def _parts(queries: Sequence[Puzzle], order: Order) -> dict[str, list[Placed]]:
    pairs = list(zip(queries, order.placed, strict=False))
    return {
        "mate": [p for q, p in pairs if q.mates],
        "material": [p for q, p in pairs if not q.mates],
        "quiet": [p for q, p in pairs if q.is_quiet],
    }


def _hits(placed: Sequence[Placed]) -> tuple[str, ...]:
    return (*(number(hit(placed, k)) for k in (1, 3, 5)), f"{fmean(p.rank for p in placed):.2f}")


def _table(queries: Sequence[Puzzle], orders: Sequence[Order]) -> Table:
    header = ("order", "n", "hit@1", "hit@3", "hit@5", "mean rank", "any mate @1", "mate @1", "material @1", "quiet @1")
    rows = []
    for order in orders:
        parts = [number(hit(placed, 1)) if placed else "" for placed in _parts(queries, order).values()]
        row = (order.name, f"{len(order.placed):,}", *_hits(order.placed), number(fmean(order.any_mate)), *parts)
        rows.append(row)
    return Table(header, tuple(rows))


def _by_rating(queries: Sequence[Puzzle], order: Order) -> dict[tuple[int, int], tuple[int, float]]:
    found = {}
    for low, high in RATINGS:
        placed = [
            p for q, p in zip(queries, order.placed, strict=False) if q.rating is not None and low <= q.rating < high
        ]
        found[low, high] = len(placed), hit(placed, 1)
    return found


def _band(band: tuple[int, int]) -> str:
    low, high = band
    return f"below {high}" if not low else f"{low} and more" if high == RATINGS[-1][1] else f"{low} to {high - 1}"


def _ratings(queries: Sequence[Puzzle], orders: Sequence[Order]) -> Table:
    found = {order.name: _by_rating(queries, order) for order in orders}
    rows = []
    for band in RATINGS:
        count = found[orders[0].name][band][0]
        rows.append((_band(band), f"{count:,}", *(number(found[o.name][band][1]) if count else "" for o in orders)))
    return Table(("rating", "n", *(order.name for order in orders)), tuple(rows))
