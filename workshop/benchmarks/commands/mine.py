"""Mining the open master games with an empty library: how long, how much memory, and whether what comes out is true.

Masters hardly ever repeat a mistake, so that little or nothing may come of moves which they played often. What the
miner finds and what it believes is therefore also seen on their games in which a named trap was fallen into, of which
every move is put to it: once with practice as witness of gains, once with an engine.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import chess
from sqlalchemy import Connection, func, select

from db.formats.bundled import bundled_traps
from db.library.library import Library
from db.library.open import open_library
from db.storage.sighting_rows import MIRROR, move_code
from db.storage.tables import GameRow, OccurrenceRow, PositionRow
from db.traps.trap import Trap
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.material import DATA
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.benchmarks.table import Row

GAMES = DATA / "pgn" / "masters_pgnmentor_open.pgn.zst"
MIN_GAMES = 5
ENGINE_NODES = 400_000
MINUTES, MEBIBYTES, AGREEMENT = 30, 2048, 0.97


def rows() -> list[Row]:
    """The run, the agreement of Stockfish, and the named traps that were found again."""
    with tempfile.TemporaryDirectory(prefix="trapline-mine-") as folder:
        path = Path(folder) / "library.sqlite"
        with open_library(path, create=True):
            pass
        command = [sys.executable, "-m", "trapline", "mine", str(GAMES), "--db", str(path), "--jobs", "2", "--json"]
        began = time.monotonic()
        done = subprocess.run([*command, "--min-games", str(MIN_GAMES)], capture_output=True, text=True, check=True)
        minutes = (time.monotonic() - began) / 60
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        answer: dict[str, Any] = json.loads(done.stdout)
        with open_library(path, read_only=True) as library:
            traps = library.traps()
            again = _found_again(library, library, MIN_GAMES)
            every = _every_move(library, Path(folder))
    games, looked_at = answer["index"]["games"], answer["candidates"]
    return [
        Row(f"{games:,} games indexed and mined, two threads", f"{minutes:.1f} min, {looked_at:,} moves, {len(traps)} "
            "traps", f"{MINUTES} min", MINUTES / minutes, 1),
        Row("peak memory", f"{peak:,.0f} MiB", f"{MEBIBYTES:,} MiB", MEBIBYTES / peak, 1),
        _agreement(traps),
        again,
        *every,
    ]  # fmt: skip


def _every_move(library: Library, folder: Path) -> list[Row]:
    """The games in which a named trap was fallen into, mined by either witness."""
    games = _fallen(library)
    (folder / "fallen.pgn").write_text("".join(games))
    out = []
    for witness, options in (("practice", []), ("Stockfish", ["--engine", str(STOCKFISH)])):
        if options and STOCKFISH is None:
            break
        path = folder / f"{witness}.sqlite"
        with open_library(path, create=True):
            pass
        command = [sys.executable, "-m", "trapline", "mine", str(folder / "fallen.pgn"), "--db", str(path), "--json"]
        done = subprocess.run(
            [*command, "--min-games", "1", "--jobs", "2", *options], capture_output=True, text=True, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        with open_library(path, read_only=True) as mined:
            traps = mined.traps()
            again = _found_again(library, mined, 1)
        what = f"{len(games)} games with a named trap, all {answer['candidates']:,} moves, {witness} as witness"
        out += [Row(what, f"{len(traps)} traps", "")]
        # What Stockfish has confirmed it would only confirm again.
        out += [again] if options else [_agreement(traps), again]
    return out


def _places(trap: Trap) -> list[tuple[bytes, int]]:
    """Key of the position and code of the bait, in both colours."""
    move = move_code(trap.epd, trap.bait)
    return [(trap.key, move), (trap.mirror_key, move ^ MIRROR)]


def _played(connection: Connection, key: bytes, move: int) -> int:
    """How often a move was played in a position."""
    times = (
        select(func.count()).select_from(OccurrenceRow).join(PositionRow, PositionRow.id == OccurrenceRow.position_id)
    )
    return connection.scalar(times.where(PositionRow.key == key, OccurrenceRow.move == move)) or 0


def _fallen(library: Library) -> list[str]:
    """The games in which the bait of a bundled trap was taken, as PGN."""
    games: dict[int, str] = {}
    columns = GameRow.id, GameRow.white, GameRow.black, GameRow.result, GameRow.moves
    with library.database.read() as connection:
        for trap in bundled_traps():
            for key, move in _places(trap):
                taken = (
                    select(*columns)
                    .join(OccurrenceRow, OccurrenceRow.game_id == GameRow.id)
                    .join(PositionRow, PositionRow.id == OccurrenceRow.position_id)
                    .where(PositionRow.key == key, OccurrenceRow.move == move)
                    .where(GameRow.start_fen.is_(None))
                )
                for number, white, black, result, moves in connection.execute(taken):
                    (line,) = _native.replay([(None, moves, list(range(len(moves) // 2)))])
                    sans = chess.Board().variation_san([chess.Move.from_uci(move) for _, move in line])
                    games[number] = f'[White "{white}"]\n[Black "{black}"]\n[Round "{number}"]\n\n{sans} {result}\n\n'
    return list(games.values())


def _agreement(traps: list[Trap]) -> Row:
    """Of how many traps Stockfish says that the bait costs a blunder, or that it is mated."""
    if STOCKFISH is None:
        return Row("Stockfish agrees", "not installed", "")
    if not traps:
        return Row("Stockfish agrees", "there are no traps to ask about", f"{AGREEMENT:.0%}")
    agreed = 0
    with UciEngine(STOCKFISH) as engine:
        for trap in traps:
            before = trap.board()
            after = trap.board()
            after.push_uci(trap.bait)
            best, fallen = engine.evaluate(before, ENGINE_NODES), engine.evaluate(after, ENGINE_NODES)
            agreed += best.chance + fallen.chance >= BLUNDER
        name = engine.name
    share = agreed / len(traps)
    return Row(f"{name} at {ENGINE_NODES:,} nodes agrees that the bait costs {BLUNDER} or more",
               f"{agreed} of {len(traps)}, {share:.1%}", f"{AGREEMENT:.0%}", share / AGREEMENT, 1)  # fmt: skip


def _found_again(library: Library, mined: Library, min_games: int) -> Row:
    """Of the named traps whose bait was played so often in the first library's games, those that are in the second."""
    there = {place for trap in mined.traps() for place in _places(trap)}
    wanted, found = 0, 0
    with library.database.read() as connection:
        for trap in bundled_traps():
            if max(_played(connection, *place) for place in _places(trap)) >= min_games:
                wanted += 1
                found += not there.isdisjoint(_places(trap))
    if not wanted:
        return Row("named traps found again", f"the bait of none was played {min_games} times", "all")
    times = "once" if min_games == 1 else f"{min_games} times"
    return Row(f"named traps whose bait was played {times} or more: found again", f"{found} of {wanted}",
               "all", found / wanted, 1)  # fmt: skip
