"""Benchmarks from the command line: run them, save a run, compare two saved runs.

::

    python -m workshop.benchmarks [NAME…] [--save [RUN]]
    python -m workshop.benchmarks compare FIRST.json SECOND.json
    python -m workshop.benchmarks trapping [--games N] …        # see workshop/benchmarks/trapping.py
    python -m workshop.benchmarks levels [--games N] …          # see workshop/benchmarks/levels.py

Without names all are run but perft, which takes hours. ``--save`` writes
``docs/research/benchmarks/YYYY-MM-DD-RUN.json``.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from trapcore.errors import TraplineError, UsageError
from workshop.benchmarks import levels, trapping
from workshop.benchmarks.commands import annotate, cluster, mine, pages, query, screening, serve
from workshop.benchmarks.comparison import NOTABLE, Comparison, compare_runs, show_comparisons
from workshop.benchmarks.material import MASTERS
from workshop.benchmarks.native import core, kernels, measures, prover, searches, tactics, token_index
from workshop.benchmarks.saved_runs import Run, load_run, save_run, start_run
from workshop.benchmarks.table import Row, show

BENCHMARKS: dict[str, tuple[str, Callable[[], list[Row]]]] = {
    "core": ("The core by itself", core.rows),
    "measures": ("The measures on two positions", measures.rows),
    "annotate": ("Annotation", annotate.rows),
    "screening": ("Annotation by abstract trees", screening.rows),
    "token-index": ("The index of token sets", token_index.rows),
    "kernels": ("Fingerprints compared with many at once", kernels.rows),
    "cluster": ("Workers of a cluster", cluster.rows),
    "mine": ("Traps out of master games", mine.rows),
    "query": ("Queries to a library of a million traps", query.rows),
    "prover": ("The mate prover", prover.rows),
    "tactics": ("The search, on positions with known answers", tactics.rows),
    "search": ("Monte Carlo tree search, beside OpenSpiel's", searches.rows),
    "pages": ("Pages in a browser", pages.rows),
    "serve": ("A server over a hundred thousand traps", serve.rows),
    "perft": ("Move generation", core.perft),
}


def run_benchmarks(names: Sequence[str], save_as: str | None) -> Run:
    """The rows of these benchmarks, printed one after the other; saved under a name if there is one.

    Raises `UsageError` for an unknown benchmark, or without the data that they need.
    """
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        raise UsageError(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    if not MASTERS.exists():
        raise UsageError("the benchmarks need the real games beside the checkout, which are not here")
    run = start_run(save_as or "run")
    if run.machine.is_busy:
        print(f"the machine is busy (load {run.machine.load}), so single figures may be off", file=sys.stderr)
    for name in names or [name for name in BENCHMARKS if name != "perft"]:
        title, rows = BENCHMARKS[name]
        found = rows()
        show(title, found)
        run = replace(run, benchmarks={**run.benchmarks, name: found})
        if save_as is not None:  # after each: the whole takes hours
            print(save_run(run), file=sys.stderr)
    return run


def compare(first: Path, second: Path) -> list[Comparison]:
    """Two saved runs side by side, printed, and what changed by more than `NOTABLE`."""
    runs = load_run(first), load_run(second)
    for run in runs:
        busy = f", busy (load {run.machine.load})" if run.machine.is_busy else ""
        print(f"{run.date[:10]} {run.name}: {run.commit}, {run.machine.cores} × {run.machine.cpu}{busy}")
    compared = compare_runs(*runs)
    show_comparisons(compared)
    notable = [row for row in compared if row.kind in ("higher", "lower")]
    measured = sum(row.change is not None for row in compared)
    print(f"{len(notable)} of {measured} ratios changed by more than {NOTABLE:.0%}")
    for row in notable:
        print(f"  {row.kind}: {row.benchmark}, {row.what}: {row.change:.2f}")
    return compared


def main(arguments: Sequence[str]) -> int:
    """Exit code: 0, or that of the error."""
    try:
        if arguments[:1] == ["compare"]:
            parser = argparse.ArgumentParser(prog="python -m workshop.benchmarks compare")
            parser.add_argument("first", type=Path)
            parser.add_argument("second", type=Path)
            given = parser.parse_args(arguments[1:])
            compare(given.first, given.second)
        elif arguments[:1] == ["trapping"]:
            return trapping.main(arguments[1:])
        elif arguments[:1] == ["levels"]:
            return levels.main(arguments[1:])
        else:
            parser = argparse.ArgumentParser(
                prog="python -m workshop.benchmarks", epilog=f"NAME: {', '.join(BENCHMARKS)}"
            )
            parser.add_argument("names", nargs="*", metavar="NAME")
            parser.add_argument("--save", nargs="?", const="", metavar="RUN", help="default: the names")
            given = parser.parse_args(arguments)
            run_benchmarks(given.names, given.save if given.save != "" else "-".join(given.names) or "all")
    except TraplineError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
