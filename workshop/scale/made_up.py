"""A library of made-up games as large as wanted, to see what it answers and how fast.

In real games an opening is shared and the rest is not. So in the made-up ones the positions of a book have been on the
board in one of two games, one of three, and so on, and every other position in one game.
"""

import itertools
import random
import sqlite3
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import chess
from sqlalchemy import func, select

from db.games.explorer import explore
from db.library.open import create_library, open_library
from db.mining.candidates import candidates
from db.storage.bulk import BulkLookup
from db.storage.tables import PositionRow
from trapcore import _native
from workshop.scale.runs import cost, first_games

PLIES = 82
"""Positions of a game, as masters' games have."""
BOOK = 100_000
"""Positions that games share: about 12 of each game."""
FINGERPRINT = bytes(range(88))
"""As long as one of a middle game."""
EXPLORED = ("", "e4", "e4 e5 Nf3 Nc6 Bc4", "e4 e5 Nf3 Nc6 Bc4 Nd4 Nxe5 Qg5")
"""Lines whose last positions were reached by all games, a half, one of a hundred, and one of ten thousand."""
_SHARES = (1, 2, 100, 10_000)
_LOOKED_UP = 2000
ADDED = 1000
"""Real games that are indexed into the library in the end."""


def fill(path: Path, games: int) -> int:
    """Make the library. Returns the number of its occurrences."""
    create_library(path)
    book = [max(2, games // rank) for rank in range(2, min(BOOK, games))]
    book[: len(EXPLORED)] = [max(1, games // share) for share in _SHARES]
    single = games * PLIES - sum(book)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO sources (id, path) VALUES (1, 'made up')")
        insert = "INSERT INTO games (id, digest, white, black, result, date, event, site, round, eco, variant, plies, "
        insert += "white_elo, black_elo, moves, source_id, game_number, byte_offset) VALUES (?, ?, 'A player', "
        insert += "'Another', ?, '2026.01.01', 'Rated blitz game', 'https://lichess.org/abcdefgh', '-', 'C50', '', "
        connection.executemany(f"{insert} {PLIES}, 1500, 1500, zeroblob({2 * PLIES}), 1, ?, ?)", _games(games))
        most = len(book) + single
        keys = ((number + 1, _key(number, most), FINGERPRINT) for number in range(most))
        connection.executemany("INSERT INTO positions (id, key, fingerprint) VALUES (?, ?, ?)", keys)
        for number, line in enumerate(EXPLORED, start=1):
            key = _native.position_key(_board(line).fen())
            connection.execute("UPDATE positions SET key = ? WHERE id = ?", (key, number))
        rows = itertools.chain(_shared(book, games), _single(len(book), single, games))
        connection.executemany("INSERT INTO occurrences (position_id, game_id, ply, move) VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    return games * PLIES


def _games(games: int) -> Iterator[tuple[int, bytes, str, int, int]]:
    for number in range(1, games + 1):
        result = ("1-0", "0-1", "1/2-1/2")[number % 3]
        yield number, _key(number - 1, games), result, number, 700 * number


def _key(number: int, count: int) -> bytes:
    """One of ``count`` keys, evenly spread and in their order, so that the index on them is quickly made."""
    return (number * (2**64 // count)).to_bytes(8, "big") + b"made-up."


def _shared(book: list[int], games: int) -> Iterator[tuple[int, int, int, int]]:
    for position, count in enumerate(book, start=1):
        step = games // count
        moves = (1804, 1739, 1350, 1674)
        yield from ((position, 1 + game * step, position % 24, moves[game % 4]) for game in range(count))


def _single(before: int, count: int, games: int) -> Iterator[tuple[int, int, int, int]]:
    return ((before + 1 + number, 1 + number % games, 24 + number // games, 1804) for number in range(count))


def _board(line: str) -> chess.Board:
    board = chess.Board()
    for move in line.split():
        board.push_san(move)
    return board


def answers(path: Path) -> list[tuple[str, str]]:
    """Questions to the library and what they cost: seconds by the clock, or of the processor where it says so."""
    rows = []
    with open_library(path, read_only=True) as library:
        with library.database.read() as connection:
            most = connection.scalar(select(func.max(PositionRow.id))) or 0
            lookup, draw, times = BulkLookup(connection, [PositionRow.id], PositionRow.key), random.Random(7), []
            for _ in range(_LOOKED_UP):
                key = _key(draw.randrange(most), most)
                began = time.perf_counter()
                list(lookup.find([key]))
                times.append(time.perf_counter() - began)
        rows.append(("a position by its key, median", f"{1000 * statistics.median(times):.2f} ms"))
        rows.append(("the slowest of a hundred", f"{1000 * statistics.quantiles(times, n=100)[-1]:.2f} ms"))
        for line in EXPLORED:
            began = time.perf_counter()
            games = explore(library, moves=line).games
            took = time.perf_counter() - began
            rows.append((f"`explore` in a position of {games:,} games", f"{took:,.3f} s"))
        began = time.process_time()
        found = len(candidates(library, 5, None, None))
        took = time.process_time() - began
        rows.append((f"list the {found:,} moves that `mine` would examine", f"{took:,.0f} s of the processor"))
    return rows


def simulate(folder: Path, occurrences: int, source: Path) -> dict[str, object]:
    """Make the library, question it, and index the first real games of ``source`` into it."""
    path, games, slice_ = folder / "made-up.sqlite", max(1, occurrences // PLIES), folder / "added.pgn"
    path.unlink(missing_ok=True)
    began = time.process_time()
    filled = fill(path, games)
    found = {"games": games, "occurrences": filled, "cpu": time.process_time() - began}
    size, rows, added = path.stat().st_size / 2**30, answers(path), first_games(source, ADDED, slice_)
    for name, library in (("it", path), ("an empty library", folder / "empty.sqlite")):
        done = cost("", added, ["index", slice_, "--tell", "known", "--json", "--db", library], library)
        value = f"{1000 * done.cpu / added:,.1f} ms of the processor, {1024 * done.written / added:,.0f} KiB written"
        rows.append((f"`index` {added:,} games of masters into {name}, a game", value))
    path.unlink()
    return {**found, "size": size, "answers": rows}
