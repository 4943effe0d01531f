"""Whether the confidence of a proposal is what it says: a probability."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from db.wording.patterns import PATTERNS
from trapcore.ranking.weights import SHORTLIST
from workshop.coverage.calibration import brier, reliability
from workshop.evaluation.metrics import calibration_error
from workshop.evaluation.run import Finding, Run, propose
from workshop.report import Panel, Plot, Report, Series, Style, Table, number

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SIMILARITIES = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)

DIAGRAM = "reliability"
"""Name of the plot."""


@dataclass(frozen=True)
class Reliability:
    """Confidence and truth, on as many ordinary moves as traps."""

    brier: float
    error: float
    """Expected calibration error."""
    table: Table
    panel: Panel


def reliability_of(traps: Sequence[tuple[float, bool]], ordinary: Sequence[float]) -> Reliability:
    """From the confidence of each trap's first proposal, and whether it is the killer, and those of ordinary moves,
    which are misses; both count the same in sum."""
    predicted = [confidence for confidence, _ in traps] + list(ordinary)
    true = [hit for _, hit in traps] + [False] * len(ordinary)
    weights = [0.5 / len(traps)] * len(traps) + [0.5 / len(ordinary)] * len(ordinary)
    bins = reliability(predicted, true, weights, EDGES)
    in_traps = reliability([c for c, _ in traps], [hit for _, hit in traps], [1.0] * len(traps), EDGES)
    table = Table(
        ("confidence", "n", "share of the mix", "said", "came true", "came true, traps alone"),
        tuple(
            (
                f"{number(b.low, 2)} to {number(b.high, 2)}",
                f"{b.count:,}",
                number(b.weight),
                number(b.predicted),
                number(b.true),
                next((number(t.true) for t in in_traps if t.low == b.low), ""),
            )
            for b in bins
        ),
    )
    panel = Panel(
        "as many ordinary moves as traps",
        "confidence",
        "share that came true",
        (
            Series("first proposals", tuple(b.predicted for b in bins), tuple(b.true for b in bins)),
            Series("perfect", (0.0, 1.0), (0.0, 1.0), Style.DASHED),
        ),
    )
    return Reliability(brier(predicted, true, weights), calibration_error(bins), table, panel)


def calibration(run: Run) -> Finding:
    """Confidence against hits, on traps and ordinary moves half and half; and by similarity to the nearest trap."""
    run.say("calibration")
    traps = [(p.confidence, p.moves[0] == q.killer) for q, p in zip(run.queries, run.full, strict=True)]
    others = run.each(lambda e: propose(run.weights, e[0], e[1], SHORTLIST), run.background)
    found = reliability_of(traps, [p.confidence for p in others])
    blocks = (
        f"The confidence of the first proposal, for {len(traps):,} puzzles and {len(others):,} ordinary moves. The "
        "ordinary moves lose nothing, so any proposal there is a miss. Both count the same in sum, so that a position "
        "is as likely a trap as not. No weights were learned from them. Brier score "
        f"{number(found.brier)} (.25 says nothing, 0 is perfect). Confidence and truth are {number(found.error)} apart "
        "in the mean.",
        found.table,
        "The first proposal by the similarity of its nearest known trap. The table says how often it is the killer, "
        "and how often that trap shows a pattern of the puzzle. The pattern column leaves out puzzles without one.",
        _by_similarity(run),
    )
    diagram = Plot(DIAGRAM, "Confidence and truth", (found.panel,))
    return Finding(Report("Confidence", blocks, (diagram,)), [("Brier score", number(found.brier))])


def _by_similarity(run: Run) -> Table:
    nearest = run.index.top(run.proposed_bags, 1, jobs=run.jobs)
    named = frozenset(PATTERNS)
    groups: dict[int, list[tuple[bool, bool | None]]] = {}
    for query, proposed, hits in zip(run.queries, run.full, nearest, strict=True):
        similarity = hits[0][1] if hits else 0.0
        patterns = query.themes & named
        same = bool(patterns & run.sample.library[hits[0][0]].themes) if hits else False
        found = groups.setdefault(bisect_right(SIMILARITIES, similarity) - 1, [])
        found.append((proposed.moves[0] == query.killer, same if patterns else None))
    rows = []
    for at, found in sorted(groups.items()):
        low, high = SIMILARITIES[at], min(1.0, SIMILARITIES[at + 1])
        same_theme = [same for _, same in found if same is not None]
        shown = number(fmean(same_theme)) if same_theme else ""
        killer = number(fmean(hit for hit, _ in found))
        rows.append((f"{number(low, 1)} to {number(high, 1)}", f"{len(found):,}", killer, shown))
    return Table(("similarity", "n", "is the killer", "same pattern"), tuple(rows))
