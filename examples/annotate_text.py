"""Tests a bait, compares two positions, and names the trap in a game: python examples/annotate_text.py"""

import tempfile
from pathlib import Path

from annotator import AnalysisSettings, annotate_pgn
from db import make_trap, open_library
from trapcore import Comparison, IndexedMeasure, Measure, check_bait

GAME = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"


def main() -> None:
    """Print all three."""
    trap = make_trap(
        name="Légal's mate",
        moves="e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5",
        bait="Bxd1",
        killer_line="Bxf7+ Ke7 Nd5#",
    )

    test = check_bait(trap.epd, trap.bait)
    print(f"{trap.bait} loses: {test.verdict}, mate in {test.mate_in} by {' '.join(test.killer_line)}")

    # The same with the pawn on a6 instead of g6.
    other = "rn1qkbnr/1pp2ppp/p2p4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -"
    compared = Comparison(Measure.SEQUENCES).of(trap.epd, other)
    print(f"similarity {compared.value:.2f}, of the boards alone {compared.baselines['board']:.2f}")

    with (
        tempfile.TemporaryDirectory() as folder,
        open_library(Path(folder) / "traps.sqlite", create=True) as library,
    ):
        library.add(trap)
        annotated = annotate_pgn(GAME, library, AnalysisSettings(measure=IndexedMeasure.SEQUENCES))
    print(annotated.text)
    for event in annotated.events:
        print(f"move {event.number}, {event.played}: {event.event}")


if __name__ == "__main__":
    main()
