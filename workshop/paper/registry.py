"""The experiments by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trapcore.errors import unknown_name
from workshop.paper import cost, example_1, figure_1, recall, sampling, table_1, table_2, table_3
from workshop.paper.benchmark import Run
from workshop.report import Report

ALL = "all"
"""Instead of a name: every experiment."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment."""

    name: str
    summary: str
    report: Callable[[Run], Report]


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("figure-1", "the measures on two small trees", figure_1.report),
        Experiment("table-1", "structural similarity in tic-tac-toe", table_1.report),
        Experiment("table-2", "which measure finds a trap again two plies on (minutes)", table_2.report),
        Experiment("recall", "the 85 % of section 4, and the false positives with it", recall.report),
        Experiment("table-3", "move matching, beside the most frequent checks", table_3.report),
        Experiment("example-1", "how the measures grow with the number of moves", example_1.report),
        Experiment("cost", "milliseconds a comparison, by the core and by the plain definition", cost.report),
        Experiment("sampling", "structural similarity from some of the children", sampling.report),
    )
}
"""In the order of the paper."""


def experiments_named(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, each once, in the order of `EXPERIMENTS`; all of them for ``all``.

    Raises ``UsageError`` naming the nearest for an unknown name.
    """
    for name in names:
        if name != ALL and name not in EXPERIMENTS:
            raise unknown_name("experiment", name, [*EXPERIMENTS, ALL])
    return [found for name, found in EXPERIMENTS.items() if name in names or ALL in names]
