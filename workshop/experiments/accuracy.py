"""Writes docs/research/accuracy.md from two evaluations.

    trapline research puzzles PUZZLES --ablation --output FOLDER
    trapline research games GAMES --puzzles PUZZLES --engine stockfish --answers FILE --output FOLDER
    python -m workshop.experiments.accuracy FOLDER

PUZZLES are the open puzzles, GAMES the open games that no weights were learned from; see `GAMES`.
"""

import argparse
import re
import sys
from pathlib import Path

from workshop.evaluation.calibration import DIAGRAM
from workshop.evaluation.detection import ROC

DOCS = Path(__file__).parents[2] / "docs" / "research"
ACCURACY = DOCS / "accuracy.md"
GAMES = ("amateur_chesscom_cancer0707.pgn", "lichess_broadcast_club_luna.pgn")
PLOTS = (DIAGRAM, ROC)

HEAD = f"""# How good the proposals are

Written by `python -m workshop.experiments.accuracy FOLDER`; nothing here is written by hand. FOLDER is what these
wrote:

    trapline research puzzles lichess_puzzles_open.csv.zst --ablation --output FOLDER
    trapline research games {" ".join(GAMES)} --puzzles lichess_puzzles_open.csv.zst \\
        --engine stockfish --output FOLDER

Times are those of the machine that it ran on, and the engine's answers differ a little between its versions; all else
is the same everywhere.
"""


def main(arguments: list[str]) -> None:
    """Put the accounts together."""
    parser = argparse.ArgumentParser(description="Write docs/research/accuracy.md.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    parts = [lowered((folder / f"{name}.md").read_text("utf-8")) for name in ("puzzles", "games")]
    for name in PLOTS:
        (DOCS / f"{name}.svg").write_bytes((folder / f"{name}.svg").read_bytes())
    ACCURACY.write_text("\n".join([HEAD, *parts]), encoding="utf-8", newline="\n")


def lowered(text: str) -> str:
    """The same Markdown with its headings one level lower."""
    return re.sub(r"^#", "##", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main(sys.argv[1:])
