"""What each kind of token is good for: everything again without it."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from db.similarity.killer_index import build_index
from trapcore import _native
from trapcore.ranking.token_fields import FIELD_BITS
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST, VOCABULARY_VERSION, Weights
from workshop.coverage.calibration import brier
from workshop.evaluation.killers import hit
from workshop.evaluation.metrics import Placed, falling, place
from workshop.evaluation.patterns import TOP, macro_precision
from workshop.evaluation.run import Finding, Run, propose
from workshop.evaluation.sample import Puzzle
from workshop.report import Report, Table, number

TRAPS = 5_000
"""Learned from so many of the library, because it is done once for each kind."""
EARNED = 0.001
"""A kind earns its place if one of the figures is worse by this much without it."""


@dataclass(frozen=True)
class Figures:
    """What is compared; for all but the Brier score more is better."""

    full: float
    """hit@1 with the usual shortlist."""
    lazy: float
    """hit@1 with the short one."""
    quiet: float
    """hit@1 of the quiet killers, with the usual shortlist."""
    brier: float
    """Of the confidence, on as many ordinary moves as traps."""
    naming: float
    """Mean pattern precision@10, killer known."""

    def drop(self, other: "Figures") -> tuple[float, ...]:
        """How much worse the other ones are."""
        pairs = ((self.full, other.full), (self.lazy, other.lazy), (self.quiet, other.quiet))
        return (*(a - b for a, b in pairs), other.brier - self.brier, self.naming - other.naming)


def ablation(run: Run) -> Finding:
    """Each figure without each kind of token."""
    traps = run.sample.library[:TRAPS]
    kinds = _native.token_kinds()
    bags = run.each(lambda p: _native.killer_tokens(p.before, p.trap.bait, list(p.trap.killer_line)), traps)
    queried = run.killer_bags
    run.say("learning with every kind")
    learned = run.learn(traps)
    base = _order_figures(run, learned, _naming(run, traps, learned, bags, queried, None))
    rows: list[tuple[str, ...]] = []
    idle = []
    for at, (name, stage, _) in enumerate(kinds):
        run.say(f"learning without {name}")
        naming = _naming(run, traps, learned, bags, queried, at)
        if stage == "proved":  # no move is ordered by these
            figures = Figures(base.full, base.lazy, base.quiet, base.brier, naming)
        else:
            figures = _order_figures(run, run.learn(traps, (name,)), naming)
        drops = base.drop(figures)
        rows.append((name, stage, *(f"{100 * drop:+.2f}" for drop in drops)))
        if max(drops) < EARNED:
            idle.append(name)
    blocks = (
        f"Learned again from {len(traps):,} traps without one kind of token at a time, and asked for "
        f"{len(run.queries):,} killers. With all {len(kinds)} kinds: hit@1 {number(base.full)}, with a shortlist of "
        f"{LAZY_SHORTLIST} {number(base.lazy)}, quiet killers {number(base.quiet)}, Brier score {number(base.brier)}, "
        f"mean pattern precision@{TOP} {number(base.naming)}. The table says how many points worse each gets (percent; "
        "the Brier score times 100). A difference of less than about "
        f"{200 * _paired_error(base.full, len(run.queries)):.1f} points of hit@1 may be chance.",
        Table(("without", "stage", "hit@1", "short list", "quiet", "Brier", "pattern"), tuple(rows)),
        f"Kinds without which no figure is worse by {100 * EARNED} points: {', '.join(idle) or 'none'}.",
    )
    return Finding(Report("Kinds of token", blocks))


def _paired_error(share: float, count: int) -> float:
    """Standard error of a difference of two shares, if one query in a hundred is decided otherwise."""
    return math.sqrt(min(0.01, 1 - share) / count)


def _order_figures(run: Run, weights: Weights, naming: float) -> Figures:
    queries = run.queries
    full, lazy = run.proposed(weights, SHORTLIST), run.proposed(weights, LAZY_SHORTLIST)
    placed = [place(falling(p.moves), q.killer) for q, p in zip(queries, full, strict=True)]
    short = [place(falling(p.moves), q.killer) for q, p in zip(queries, lazy, strict=True)]
    predicted = [p.confidence for p in full]
    ordinary = [propose(weights, fen, bait, SHORTLIST).confidence for fen, bait, _ in run.background]
    shares = [0.5 / len(predicted)] * len(predicted) + [0.5 / len(ordinary)] * len(ordinary)
    true = [p.moves[0] == q.killer for q, p in zip(queries, full, strict=True)] + [False] * len(ordinary)
    score = brier(predicted + ordinary, true, shares)
    return Figures(hit(placed, 1), hit(short, 1), hit(_quiet(queries, placed), 1), score, naming)


def _quiet(queries: Sequence[Puzzle], placed: Sequence[Placed]) -> list[Placed]:
    return [p for q, p in zip(queries, placed, strict=True) if q.is_quiet]


def _naming(
    run: Run,
    traps: Sequence[Puzzle],
    learned: Weights,
    bags: Sequence[Sequence[int]],
    queried: Sequence[Sequence[int]],
    without: int | None,
) -> float:
    """Mean pattern precision of the nearest traps where tokens of one kind are left out."""
    known = [[token for token in bag if token >> FIELD_BITS != without] for bag in bags]
    with tempfile.TemporaryDirectory(prefix="trapline-evaluate-") as folder:
        path = Path(folder) / "killers"
        build_index(path, list(enumerate(known)), learned.idf)
        index = _native.TokenIndex(path, vocabulary=VOCABULARY_VERSION)
        few = [[token for token in bag if token >> FIELD_BITS != without] for bag in queried]
        hits = index.top(few, TOP, jobs=run.jobs)
    return macro_precision(run.queries, [[traps[at].themes for at, _ in near] for near in hits])
