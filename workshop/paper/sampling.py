"""How wrong the structural similarity is if only some of the children are compared.

Source: Evans & Turrini, section 3.1, who propose to sample children and leave it to further work.
"""

import random
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from scipy.stats import spearmanr  # type: ignore[import-untyped]

from trapcore.trees.chess_game import Labels
from workshop.paper.benchmark import Kind, Neighbour, Run
from workshop.paper.paper import TRAPS, BenchmarkTrap
from workshop.paper.retrieval import auc
from workshop.reference.measures import baselines, sampled, structural
from workshop.report import Panel, Plot, Report, Series, Table, number

CHILDREN = (1, 2, 3, 5, 8, 12, 16, 24, 32)
"""How many children are drawn."""
POSITIONS = 100
"""Positions compared with each trap."""
BASES = (("continuations", 1), ("sequences", 2))
"""Base of the structural similarity and its depth; labels are SAN, because UCI shares nothing at depth 1."""


@dataclass(frozen=True, slots=True)
class Errors:
    """How estimates stand to the exact values, the mean of the traps."""

    distance: float
    """Mean of |estimate - exact|."""
    bias: float
    """Mean of estimate - exact."""
    stated: float
    """Mean of the standard errors that the estimates state themselves."""
    rank_correlation: float
    """Spearman's, with the exact values."""
    area: float
    """AUC for traps in the strict sense."""


def errors(exact: list[list[float]], estimates: list[list[sampled.Estimate]], wanted: list[list[bool]]) -> Errors:
    """Of the values around each trap, which must be equally many in all three."""
    pairs = [
        [(one.value, value) for one, value in zip(found, values, strict=True)]
        for found, values in zip(estimates, exact, strict=True)
    ]
    return Errors(
        fmean(fmean(abs(a - b) for a, b in these) for these in pairs),
        fmean(fmean(a - b for a, b in these) for these in pairs),
        fmean(fmean(one.standard_error for one in found) for found in estimates),
        fmean(float(spearmanr(*zip(*these, strict=True)).statistic) for these in pairs),
        fmean(auc([a for a, _ in these], want) for these, want in zip(pairs, wanted, strict=True)),
    )


def drawn(run: Run, trap: BenchmarkTrap) -> list[Neighbour]:
    """The positions that are compared with the trap."""
    return random.Random(run.seed).sample(run.neighbours(trap), POSITIONS)


def report(run: Run) -> Report:
    """The errors by the number of children drawn."""
    around = [drawn(run, trap) for trap in TRAPS]
    wanted = [[Kind.STRICT in n.kinds for n in these] for these in around]
    blocks: list[str | Table] = [
        f"{POSITIONS} positions around each of the four traps, SAN labels, seed {run.seed}. Values are means of the "
        "traps. *Stated* is the standard error that an estimate gives with itself. Drawing none leaves the ratio of "
        "the numbers of moves."
    ]
    panels = []
    for base, depth in BASES:

        def exact_value(trap: str, fen: str, base: str = base, depth: int = depth) -> float:
            return structural.of_positions(trap, fen, base=base, depth=depth, labels=Labels.SAN)

        def estimate(children: int, trap: str, fen: str, base: str = base, depth: int = depth) -> sampled.Estimate:
            return sampled.of_positions(
                trap, fen, children=children, seed=run.seed, base=base, depth=depth, labels=Labels.SAN
            )

        fens = [[n.fen for n in these] for these in around]
        exact = [run.each(partial(exact_value, trap.fen), f) for trap, f in zip(TRAPS, fens, strict=True)]
        none = [
            [sampled.Estimate(baselines.move_count_ratio_of_positions(trap.fen, n.fen), 0.0) for n in these]
            for trap, these in zip(TRAPS, around, strict=True)
        ]
        found = {0: errors(exact, none, wanted)}
        for children in CHILDREN:
            estimates = [
                run.each(partial(estimate, children, trap.fen), f) for trap, f in zip(TRAPS, fens, strict=True)
            ]
            found[children] = errors(exact, estimates, wanted)
        rows = [
            (
                str(children) if children else "none",
                f"{got.distance:.4f}",
                f"{got.bias:+.4f}",
                f"{got.stated:.4f}" if children else "",
                number(got.rank_correlation),
                number(got.area),
            )
            for children, got in found.items()
        ]
        all_of_them = fmean(auc(values, want) for values, want in zip(exact, wanted, strict=True))
        rows.append(("all", "0", "0", "0", "1", number(all_of_them)))
        blocks.append(f"S on {base}, depth {depth}:")
        blocks.append(
            Table(("children", "mean error", "bias", "stated", "rank correlation", "AUC, strict"), tuple(rows))
        )
        better = next((k for k in CHILDREN if found[k].distance < found[0].distance), None)
        blocks.append(
            f"The estimate is nearer to S than the bare ratio of the numbers of moves from {better} children on."
            if better is not None
            else "No sample brings the estimate nearer to S than the bare ratio of the numbers of moves is."
        )
        x = tuple(map(float, CHILDREN))
        series = (
            Series("mean error", x, tuple(found[k].distance for k in CHILDREN)),
            Series("stated standard error", x, tuple(found[k].stated for k in CHILDREN)),
            Series("move-count ratio", x, tuple(found[0].distance for _ in CHILDREN)),
        )
        panels.append(Panel(f"S on {base}, depth {depth}", "children drawn", "error", series))
    return Report(
        "Structural similarity from some of the children",
        tuple(blocks),
        (Plot("sampling", "Error of the sampled structural similarity", tuple(panels)),),
    )
