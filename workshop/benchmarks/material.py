"""The games and traps that the benchmarks run on; all of it real."""

import io
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import chess
import chess.pgn

from db.formats.puzzle_file import Row, read_rows
from db.formats.puzzles import puzzle_trap
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore.errors import InputError
from trapcore.io.streams import open_bytes
from trapcore.proof.verdict import Verdict

DATA = Path(__file__).parents[3] / "shared" / "data"
MASTERS = DATA / "pgn" / "bench_masters_10k.pgn"
#: A trap as the judge takes it: FEN before the bait, bait, killer line, verdict, moves to mate.
TrapParts = tuple[str, str, Sequence[str], str, int]


def puzzle_rows() -> Iterator[Row]:
    """The open lichess puzzles, row by row. Raises ``InputError`` for a line that is no row."""
    path = DATA / "puzzles" / "lichess_puzzles_open.csv.zst"
    with open_bytes(path) as chunks:
        for _, row in read_rows(chunks, path.name):
            if isinstance(row, InputError):
                raise row
            yield row


@cache
def mate_traps(count: int) -> list[TrapParts]:
    """The first puzzles that end in mate within three moves, as proved traps."""
    traps: list[TrapParts] = []
    for row in puzzle_rows():
        moves = row["Moves"].split()
        if "mate" in row["Themes"].split() and len(moves) in (2, 4, 6):
            traps.append((row["FEN"], moves[0], moves[1:], "proved", len(moves) // 2))
            if len(traps) == count:
                break
    return traps


def proved_puzzles(count: int) -> list[Trap]:
    """The first puzzles as traps. They are taken as proved, because their lines are those of lichess."""
    return [
        replace(
            trap,
            verdict=Verdict.PROVED,
            mate_in=(len(trap.killer_line) + 1) // 2 if trap.outcome is Outcome.MATE else None,
            proof_by="lichess",
        )
        for trap in map(puzzle_trap, itertools.islice(puzzle_rows(), count))
    ]


@cache
def master_games(count: int) -> list[bytes]:
    """The first games of the benchmark slice as bytes."""
    pieces = MASTERS.read_bytes().split(b"[Event ")[1 : count + 1]
    return [b"[Event " + piece for piece in pieces]


@cache
def middlegame_fens(count: int) -> list[str]:
    """Positions of master games, evenly drawn with a fixed seed; the same in every run."""
    draw = random.Random(1902)
    fens = []
    for text in itertools.islice(master_games(4 * count), 0, None, 4):
        game = chess.pgn.read_game(io.StringIO(text.decode("latin-1")))
        moves = list(game.mainline_moves()) if game else []
        if len(moves) < 12:
            continue
        board = chess.Board()
        for move in moves[: draw.randrange(8, len(moves))]:
            board.push(move)
        fens.append(board.fen())
    return fens[:count]
