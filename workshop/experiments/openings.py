"""Writes the names of openings where `db.traps.openings` finds them, from lichess's chess-openings (CC0).

    python -m workshop.experiments.openings

Of two rows with the same position the last one counts.
"""

import csv
from importlib import resources
from pathlib import Path

import chess

from db.traps.trap import read_moves
from trapcore import _native
from workshop.benchmarks.material import DATA


def named_positions(folder: Path) -> dict[str, tuple[str, str]]:
    """ECO code and name by canonical EPD, from the five files of a folder, in their order."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(folder.glob("[a-e].tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                board = chess.Board()
                for move in read_moves(board, row["pgn"], row["name"]):
                    board.push(move)
                found[_native.epd(board.fen())] = (row["eco"], row["name"])
    return found


def main() -> None:
    """Write the file."""
    positions = named_positions(DATA / "openings")
    lines = sorted(f"{epd}\t{eco}\t{name}\n" for epd, (eco, name) in positions.items())
    path = Path(str(resources.files("db.traps"))) / "openings.tsv"
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} named positions written to {path}")


if __name__ == "__main__":
    main()
