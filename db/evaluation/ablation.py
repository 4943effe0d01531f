"""What each kind of token is good for: the order learned again without it."""

from collections.abc import Sequence
from statistics import fmean

from db.evaluation.killers import hit
from db.evaluation.metrics import Placed, falling, place
from db.evaluation.patterns import LENGTHS, TOP
from db.evaluation.run import Finding, Run
from db.puzzles import PATTERNS
from trapcore import _native
from trapcore.experiments.report import Report, Table, number
from trapcore.proposals import LAZY_SHORTLIST, SHORTLIST

TRAPS = 5_000
"""Learned from so many of the library, since it is done once for each kind."""
EARNED = 0.001
"""A kind earns its place if one of the figures drops by so much without it."""


def ablation(run: Run) -> Finding:
    """hit@1 of both shortlists without each kind of token, and pattern precision without it."""
    traps = run.sample.library[:TRAPS]
    kinds = _native.token_kinds()
    base_full, base_lazy = _placed(run, traps, ())
    names = {name for name, _, _ in kinds}
    rows, data, idle = [], {}, []
    for name, stage, _ in kinds:
        run.say(f"without {name}")
        full, lazy = _placed(run, traps, (name,)) if stage != "proved" else (base_full, base_lazy)
        drops = [hit(base_full, 1) - hit(full, 1), hit(base_lazy, 1) - hit(lazy, 1)]
        quiet = _quiet(run, base_full) - _quiet(run, full)
        naming = 0.0
        rows.append((name, stage, *(_points(d) for d in drops), _points(quiet)))
        data[name] = {"stage": stage, "hit@1": drops[0], "lazy_hit@1": drops[1], "quiet_hit@1": quiet, "naming": naming}
        if max(*drops, quiet) < EARNED:
            idle.append(name)
    assert names
    return Finding(Report("Kinds of token", (Table(("kind", "stage", "hit@1", "lazy", "quiet"), tuple(rows)),)), data)
