"""Learns the weights that come with trapline: python -m workshop.experiments.shipped_weights [--puzzles N]

From the killers of the open lichess puzzles and of the bundled traps that are proved, and from the bundled ordinary
positions. It takes a few minutes.
"""

import argparse
import sys
import time
from itertools import islice

from db.formats.bundled import bundled_traps
from db.formats.puzzles import puzzle_trap
from db.traps.trap import Trap
from trapcore.proof.verdict import Verdict
from trapcore.ranking.training import Example, background_examples, fit
from trapcore.ranking.weights import SHIPPED
from workshop.benchmarks.material import puzzle_rows


def puzzles(most: int | None = None) -> list[Trap]:
    """The first ``most`` open puzzles as traps."""
    return [puzzle_trap(row) for row in islice(puzzle_rows(), most)]


def example(trap: Trap) -> Example:
    """What the fit learns from."""
    return trap.epd, trap.bait, trap.killer_line[0]


def main(arguments: list[str]) -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description="Learn the weights that come with trapline.")
    parser.add_argument("--puzzles", type=int, help="use only the first so many")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    bundled = [trap for trap in bundled_traps() if trap.verdict is not Verdict.REFUTED]
    traps = [example(trap) for trap in [*bundled, *puzzles(options.puzzles)]]
    weights = fit(traps, background_examples())
    SHIPPED.write_bytes(weights.to_bytes())
    print(
        f"{weights.traps} traps, {weights.background} ordinary moves: {weights.seen.size} and {weights.answered.size} "
        f"weights, {SHIPPED.stat().st_size} bytes, {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
