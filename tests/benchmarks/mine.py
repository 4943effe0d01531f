"""Mining the open master games with an empty library: how long, how much memory, and whether what comes out is true."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy import select

from db.bundled import bundled_traps
from db.engine import UciEngine
from db.library import Library
from db.mining_candidates import candidates
from db.models import PositionRow
from db.sighting import MIRROR, move_code
from db.store import open_library
from db.trap import Trap
from tests.benchmarks.material import DATA
from tests.benchmarks.table import Row
from tests.stockfish import STOCKFISH
from trapcore.baits import LOSS

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
        told: dict[str, Any] = json.loads(done.stdout)
        with open_library(path, read_only=True) as library:
            traps = library.traps()
            again = _found_again(library)
    games, looked_at = told["index"]["games"], told["candidates"]
    return [
        Row(f"{games:,} games indexed and mined, two threads", f"{minutes:.1f} min, {looked_at:,} moves, {len(traps)} "
            "traps", f"{MINUTES} min", MINUTES / minutes, 1),
        Row("peak memory", f"{peak:,.0f} MiB", f"{MEBIBYTES:,} MiB", MEBIBYTES / peak, 1),
        _agreement(traps),
        again,
    ]  # fmt: skip


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
            agreed += best.chance + fallen.chance >= LOSS
        name = engine.name
    share = agreed / len(traps)
    return Row(f"{name} at {ENGINE_NODES:,} nodes agrees that the bait costs {LOSS} or more",
               f"{agreed} of {len(traps)}, {share:.1%}", f"{AGREEMENT:.0%}", share / AGREEMENT, 1)  # fmt: skip


def _found_again(library: Library) -> Row:
    """Of the bundled traps whose bait was played often enough in these games, those that were mined."""
    often = {(found.position_id, found.move) for found in candidates(library, MIN_GAMES, 0.0, None, None)}
    mined = {(trap.key, move_code(trap.epd, trap.bait)) for trap in library.traps()}
    wanted, found = 0, 0
    with library.database.read() as connection:
        for trap in bundled_traps():
            for key, turned in ((trap.key, 0), (trap.mirror_key, MIRROR)):
                position = connection.scalar(select(PositionRow.id).where(PositionRow.key == key))
                move = move_code(trap.epd, trap.bait) ^ turned
                if (position, move) in often:
                    wanted += 1
                    found += (key, move) in mined
    if not wanted:
        return Row("named traps found again", f"the bait of none was played {MIN_GAMES} times", "all")
    return Row(f"named traps whose bait was played {MIN_GAMES} times or more: found again", f"{found} of {wanted}",
               "all", found / wanted, 1)  # fmt: skip
