"""The search that proves gains, and that the bot plays with, on positions with known answers."""

from pathlib import Path

import chess

from trapcore.parallel.budget import Budget
from trapcore.proof.search import search
from workshop.benchmarks.material import DATA, puzzle_rows
from workshop.benchmarks.table import Row

PUZZLES = 2000
"""So many of the first lichess puzzles that win material, not mate."""
PUZZLE_NODES = 200_000


def rows() -> list[Row]:
    """WAC with a second each, and lichess puzzles with so many nodes."""
    return [_suite(DATA / "epd" / "wacnew.epd", 270), _puzzles()]


def _suite(path: Path, wanted: int) -> Row:
    solved = total = nodes = 0
    for line in path.read_text().splitlines():
        if not line.strip():
            continue
        board = chess.Board()
        operations = board.set_epd(line)
        found = search(board.fen(), Budget(milliseconds=1000))
        move = chess.Move.from_uci(found.line[0])
        best, avoided = operations.get("bm"), operations.get("am")
        if isinstance(best, list):
            solved += move in best
        else:
            assert isinstance(avoided, list)
            solved += move not in avoided
        total, nodes = total + 1, nodes + found.nodes
    return Row("Win at Chess, a second each: solved", f"{solved} of {total}, {nodes / total / 1e6:.2f} M nodes/s",
               f"wanted {wanted}", solved / wanted, 1)  # fmt: skip


def _puzzles() -> Row:
    right = total = 0
    for row in puzzle_rows():
        if "mate" in row["Themes"].split():
            continue
        board = chess.Board(row["FEN"])
        bait, killer = row["Moves"].split()[:2]
        board.push_uci(bait)
        found = search(board.fen(), Budget(nodes=PUZZLE_NODES))
        right, total = right + (found.line[0] == killer), total + 1
        if total == PUZZLES:
            break
    return Row(f"lichess puzzles that win material, {PUZZLE_NODES:,} nodes: first move right",
               f"{right} of {total}, {right / total:.1%}", "wanted 85 %", right / total / 0.85, 1)  # fmt: skip
