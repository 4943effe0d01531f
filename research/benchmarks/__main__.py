"""Run the benchmarks named on the command line, or all but perft, which takes hours."""

import sys
from collections.abc import Callable

from research.benchmarks import (
    annotate,
    bags,
    cluster,
    core,
    explorer,
    kernels,
    measures,
    mine,
    prover,
    query,
    screening,
    serve,
    tactics,
)
from research.benchmarks.material import MASTERS
from research.benchmarks.table import Row, show

BENCHMARKS: dict[str, tuple[str, Callable[[], list[Row]]]] = {
    "core": ("The core by itself", core.rows),
    "measures": ("The measures on two positions", measures.rows),
    "annotate": ("Annotation", annotate.rows),
    "screening": ("Annotation by abstracted trees", screening.rows),
    "bags": ("The index of bags of tokens", bags.rows),
    "explorer": ("What was played in a position", explorer.rows),
    "kernels": ("Fingerprints compared with many at once", kernels.rows),
    "cluster": ("Workers of a cluster", cluster.rows),
    "mine": ("Traps out of master games", mine.rows),
    "query": ("A library of a million traps that is asked", query.rows),
    "prover": ("The mate prover", prover.rows),
    "tactics": ("The search, on positions with known answers", tactics.rows),
    "serve": ("A server over a hundred thousand traps", serve.rows),
    "perft": ("Move generation", core.perft),
}


def main(names: list[str]) -> int:
    """Exit code: 0, or 2 for an unknown name or absent data."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    if not MASTERS.exists():
        print("the benchmarks need the real games beside the checkout, which are not here", file=sys.stderr)
        return 2
    for name in names or [name for name in BENCHMARKS if name != "perft"]:
        title, rows = BENCHMARKS[name]
        show(title, rows())
    return 0


sys.exit(main(sys.argv[1:]))
