"""The core by itself: reading PGN, expanding trees, counting moves, indexing."""

import io
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.pgn

from db.games.index_games import index_files
from db.library.open import open_library
from trapcore import _native
from workshop.benchmarks.material import DATA, MASTERS, master_games, middlegame_fens
from workshop.benchmarks.table import Row, cpu_seconds


def python_label_set(board: chess.Board) -> set[str]:
    """The labels at depths 1 and 2 with python-chess."""
    labels = set()
    for move in list(board.legal_moves):
        labels.add(move.uci())
        board.push(move)
        labels.update(reply.uci() for reply in board.legal_moves)
        board.pop()
    return labels


def expansion() -> list[Row]:
    """Trees of depth 2 with their label sets."""
    fens = middlegame_fens(200)
    ours = cpu_seconds(lambda: [_native.fingerprint(fen) for fen in fens]) / len(fens)
    boards = [chess.Board(fen) for fen in fens]
    slow = cpu_seconds(lambda: [python_label_set(board) for board in boards], 1) / len(fens)
    return [Row("tree of depth 2 with its set of moves, from FEN to bytes", f"{ours * 1e6:.1f} us",
                f"python-chess {slow * 1e6:.0f} us", slow / ours, 100)]  # fmt: skip


def reading() -> list[Row]:
    """PGN with every move checked."""
    data = MASTERS.read_bytes()
    judge = _native.GameAnalyzer([], measure="sequences", min_similarity=1.0, nodes=1, unproved=False)

    def read() -> int:
        splitter = _native.PgnSplitter()
        return sum(judge.judge(batch).games for batch in [*splitter.feed(data), *splitter.finish()])

    games = read()
    ours = cpu_seconds(read) / games
    sample = b"".join(master_games(400)).decode("latin-1")

    def slowly() -> int:
        text, count = io.StringIO(sample), 0
        while chess.pgn.read_game(text) is not None:
            count += 1
        return count

    slow = cpu_seconds(slowly) / 400
    return [Row("PGN read, every move checked", f"{1 / ours:,.0f} games/s", f"python-chess {1 / slow:,.0f} games/s",
                slow / ours, 100)]  # fmt: skip


def indexing() -> list[Row]:
    """Every position of a file into the library."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.sqlite"
        start = time.perf_counter()
        with open_library(path, create=True) as library:
            before = path.stat().st_size
            index_files(library, [MASTERS])
            counts = library.counts()
        seconds = time.perf_counter() - start
        size = sum(p.stat().st_size for p in Path(folder).iterdir()) - before
        rate, each = counts.positions / seconds, size / counts.positions
    return [
        Row("index, distinct positions/s", f"{rate:,.0f}", "20,000 wanted", rate / 20_000, 1),
        Row("index, bytes a distinct position on disk", f"{each:.0f}", "400 allowed", 400 / each, 1),
    ]


def perft() -> list[Row]:
    """Leaf counts of every published line at every depth, on all cores: 2.4 million million leaves, so hours."""
    counted: list[tuple[str, int, int]] = []
    for path in sorted((DATA / "perft").glob("*.perft")):
        fen = ""
        for line in path.read_text().splitlines():
            word, _, rest = line.partition(" ")
            if word == "epd":
                fen = rest
            elif word == "perft":
                depth, count = map(int, rest.split())
                counted.append((fen, depth, count))
    start = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sum(pool.map(lambda line: _native.perft(line[0], line[1]) != line[2], counted))
    seconds = time.perf_counter() - start
    leaves = sum(count for _, _, count in counted)
    speed = f"{leaves / seconds / 1e6:,.0f} M leaves/s in {seconds:.0f} s"
    return [Row(f"perft, {len(counted):,} lines", f"{wrong} wrong", speed)]


def rows() -> list[Row]:
    """Everything of the core but perft, which takes minutes."""
    return [*expansion(), *reading(), *indexing()]
