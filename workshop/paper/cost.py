"""What a comparison of two positions costs, by the Rust core and by the plain definition that it is tested against.

Source: Evans & Turrini, sections 2 and 3, who give orders of growth and no times. Trees are built in both.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree
from workshop.paper.benchmark import Run
from workshop.paper.paper import TRAPS
from workshop.reference.measures import baselines, continuations, sequences, structural, tanimoto, tree_edit
from workshop.reference.measures import move_matching as matching
from workshop.report import Panel, Plot, Report, Series, Style, Table

CORE_PAIRS, PLAIN_PAIRS = 20, 2
"""How many positions are compared with a trap."""
REPEATS = 3
"""How often the core's times are taken; the shortest counts."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A measure in both forms."""

    name: str
    core: Callable[[str, str], Any]
    plain: Callable[[Tree, Tree], Any]
    depth: int
    """Of the trees, in plies."""
    labels: Labels = Labels.UCI

    def by_definition(self, fen1: str, fen2: str) -> Any:
        """What ``core`` gives, computed by the plain definition."""
        t1, t2 = (chess_tree(fen, self.depth, self.labels) for fen in (fen1, fen2))
        return self.plain(t1, t2)


TIMED = (
    Timed("move-count ratio", baselines.move_count_ratio_of_positions, baselines.move_count_ratio, 1),
    Timed(
        "continuations 1",
        partial(continuations.of_positions, depth=1),
        partial(continuations.of_trees, depth=1),
        1,
    ),
    Timed("continuations 2", continuations.of_positions, partial(continuations.of_trees, depth=2), 2),
    Timed("sequences 2", sequences.of_positions, partial(sequences.of_trees, depth=2), 2),
    Timed("Tanimoto 2", tanimoto.of_positions, partial(tanimoto.of_trees, depth=2), 2),
    Timed("tree-edit 2", tree_edit.of_positions, partial(tree_edit.of_trees, depth=2), 2),
    Timed("S on continuations 1", structural.of_positions, structural.of_trees, 2),
    Timed(
        "S on sequences 2",
        partial(structural.of_positions, base="sequences", depth=2),
        partial(structural.of_trees, base=sequences.of_trees, depth=2),
        3,
    ),
    Timed("move matching, SAN", matching.of_positions, matching.of_trees, 3, Labels.SAN),
)


def seconds(compare: Callable[[str, str], Any], trap: str, fens: list[str]) -> float:
    """How long it takes to compare all of ``fens`` with ``trap``."""
    began = perf_counter()
    for fen in fens:
        compare(trap, fen)
    return perf_counter() - began


def report(run: Run) -> Report:
    """Milliseconds a comparison. Only one thread works, even if the run may use more."""
    trap = TRAPS[0]
    drawn = random.Random(run.seed).sample(run.neighbours(trap), CORE_PAIRS)
    fens = [neighbour.fen for neighbour in drawn]
    rows, core_times, plain_times = [], [], []

    for timed in TIMED:
        core = min(seconds(timed.core, trap.fen, fens) for _ in range(REPEATS)) / CORE_PAIRS
        plain = seconds(timed.by_definition, trap.fen, fens[:PLAIN_PAIRS]) / PLAIN_PAIRS
        rows.append((timed.name, f"{core * 1e3:.3f}", f"{plain * 1e3:,.1f}", f"{plain / core:,.0f}"))
        core_times.append(core * 1e3)
        plain_times.append(plain * 1e3)
    times = dict(zip((timed.name for timed in TIMED), core_times, strict=True))
    x = tuple(range(len(TIMED)))
    return Report(
        "Cost of the measures",
        (
            f"Milliseconds to compare a position with the {trap.name} trap, with UCI labels on one thread. Both trees "
            f"are built each time. The core compared {CORE_PAIRS} positions, the plain definition {PLAIN_PAIRS}. The "
            "times are those of this machine, which also did other work.",
            Table(("measure", "Rust core, ms", "plain definition, ms", "ratio"), tuple(rows)),
            f"In the core a tree-edit similarity costs {times['tree-edit 2'] / times['sequences 2']:,.0f} times a "
            f"similarity of sequences. That costs {times['sequences 2'] / times['continuations 1']:,.0f} times one of "
            "continuations at depth 1. The paper calls the differences significant. The times leave out the paper's "
            "cubic assignment. On numbers the cheapest pairing keeps the order of both lists, so that a table over the "
            "sorted lists finds it.",
        ),
        (
            Plot(
                "cost",
                "Milliseconds a comparison",
                (
                    Panel(
                        "",
                        "",
                        "ms",
                        (
                            Series("Rust core", x, tuple(core_times), Style.BARS),
                            Series("plain definition", x, tuple(plain_times), Style.BARS),
                        ),
                        tuple(timed.name for timed in TIMED),
                        logarithmic=True,
                    ),
                ),
            ),
        ),
    )
