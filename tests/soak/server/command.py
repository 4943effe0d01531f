"""``python -m tests.soak server``: minutes of a real server under everything that may happen to it.

Exit code: 0 if all promises were kept, 1 if one was broken, 2 for a bad option.
"""

import argparse
import contextlib
import json
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import trapline
from annotator.record import record_losing_moves
from annotator.settings import AnalysisSettings
from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.open import open_library
from tests.soak.report import SoakReport, show
from tests.soak.server import checks, hostile, writers
from tests.soak.server.process import ServerProcess
from tests.soak.server.readers import Known, read
from tests.soak.server.requests import Client, Record
from tests.support.practice_library import GAMES as PRACTICE_GAMES
from tests.support.practice_library import PLAYER
from tests.support.trap_games import AVOIDED, FELL, MISSED, QUIET, game
from tests.support.web_server import build_library
from trapcore.parallel.pools import threads

LOOK = 1.0
"""Seconds between two looks at the process."""

CALM = 0.4
"""Share of the time, the last of it, in which nothing is killed: growth is seen in one life."""

FULL_SECONDS = 6.0
"""How long the disk is full, in every second life."""

PAUSE = 0.15
"""Seconds between two requests of a reader, on average."""

TRAPS = 12
"""Traps that are added and removed."""

SWITCH_SECONDS = 0.001
"""After so long a client lets another one go on: Python's usual 5 ms would count as the server's time."""


def main(arguments: Sequence[str]) -> int:
    """Run it; the exit code."""
    given = _options(arguments)
    sys.setswitchinterval(SWITCH_SECONDS)
    folder = Path(tempfile.mkdtemp(prefix="trapline-soak-"))
    try:
        found = soak(given, folder)
    finally:
        if given.keep:
            print(f"the server's files are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if given.json:
        print(json.dumps(found.as_json(), indent=1))
    else:
        show(found)
    return 0 if found.passed else 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak server", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="how long; 5 if not given")
    parser.add_argument("--kill-every", type=float, default=20.0, help="kill it after so many seconds; 0: never")
    parser.add_argument("--readers", type=int, default=4, help="clients that read at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--keep", action="store_true", help="keep the server's folder with its log and its library")
    given = parser.parse_args(arguments)
    if not 0 < given.minutes <= 10_000 or not 0 <= given.kill_every <= 1e6 or not 1 <= given.readers <= 32:
        parser.error("--minutes is above 0, --kill-every 0 or more, --readers 1 to 32")
    return given


def soak(given: argparse.Namespace, folder: Path) -> SoakReport:
    """Run one soak from an empty folder, and report on it."""
    server = ServerProcess(folder, free_port())
    known = make_soak_library(server.library, folder)
    uploaded = expected_upload(server.library, folder.with_name(f"{folder.name}.pgn"))
    record, acknowledged = Record(), writers.Acknowledged()
    server.start()
    stopped = threading.Event()
    opened: list[Client] = []

    def client(kind: str) -> Client:
        opened.append(Client(server, record, kind))
        return opened[-1]

    clients = [
        threading.Thread(target=work, name=name)
        for name, work in _works(client, server.port, acknowledged, known, given, uploaded, stopped)
    ]
    began = time.monotonic()
    for thread in clients:
        thread.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            _disturb(server, given, began)
    finally:
        stopped.set()
        for thread in clients:
            thread.join(writers.JOB_SECONDS)
        for each in opened:
            each.close()
        code = server.stop()
    return checks.report(server, record, acknowledged, code, time.monotonic() - began, known.games)


def free_port() -> int:
    """A port of the loopback interface that nobody listens at."""
    with contextlib.closing(socket.socket()) as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


def make_soak_library(path: Path, folder: Path) -> Known:
    """A library of traps and games, some of them of a player who practises."""
    build_library(path)
    games = folder / "practice.pgn"
    games.write_text("".join(PRACTICE_GAMES), encoding="utf-8")
    with open_library(path) as library, threads(1, "soak") as pool:
        index_files(library, [games])
        record_losing_moves(library, [games], AnalysisSettings(engine="off"), pool)
        slugs = tuple(trap.slug for trap in library.traps())
        found = Known(slugs, library.counts().games, (PLAYER,))
    games.unlink()
    return found


def expected_upload(library: Path, games: Path) -> tuple[bytes, bytes]:
    """Games to upload and what comes back; ``games`` is where to write them meanwhile."""
    moves = (FELL, AVOIDED, MISSED, QUIET)
    games.write_text("".join(game(moves[n % len(moves)], Round=str(n)) for n in range(60)))
    with trapline.open(library, read_only=True) as opened:
        found = games.read_bytes(), trapline.annotate(games, library=opened, tell="known").encode()
    games.unlink()
    return found


def _works(
    client: Callable[[str], Client],
    port: int,
    acknowledged: writers.Acknowledged,
    known: Known,
    given: argparse.Namespace,
    uploaded: tuple[bytes, bytes],
    stopped: threading.Event,
) -> list[tuple[str, Callable[[], None]]]:
    """Everybody who asks the server something, by name."""
    short = [trap for trap in bundled_traps() if trap.slug not in known.slugs and len(trap.killer_line) <= 3]
    traps = random.Random(given.seed).sample(short, min(TRAPS, len(short)))

    found: list[tuple[str, Callable[[], None]]] = [
        (f"reader {n}", partial(read, client("page"), known, given.seed + n, PAUSE, stopped))
        for n in range(given.readers)
    ]
    return [
        *found,
        ("traps", partial(writers.write_traps, client("write"), traps, acknowledged, given.seed, stopped)),
        ("reports", partial(writers.write_reports, client("report"), acknowledged, stopped)),
        ("practice", partial(writers.practise, client("practice"), PLAYER, acknowledged, stopped)),
        ("uploads", partial(writers.upload, client("upload"), *uploaded, acknowledged, stopped)),
        ("attacker", partial(hostile.attack, client("hostile"), given.seed, 1.0, stopped)),
        ("silence", partial(hostile.hold_connections, port, given.seed, stopped)),
    ]


def _disturb(server: ServerProcess, given: argparse.Namespace, began: float) -> None:
    """Kill the server, fill its disk, measure it, until the time is over."""
    end = began + given.minutes * 60
    calm = end - given.minutes * 60 * CALM
    kill_at = began + given.kill_every if given.kill_every else end
    full_until = 0.0
    while (now := time.monotonic()) < end:
        time.sleep(LOOK)
        server.restart_if_dead()
        server.measure()
        if full_until and now >= full_until:
            server.empty_disk()
            full_until = 0.0
        if now >= kill_at and now < calm:
            if full_until:
                server.empty_disk()
                full_until = 0.0
            server.kill_and_restart()
            kill_at = time.monotonic() + given.kill_every
            if not given.json:
                print(f"killed {len(server.disturbed)} times", file=sys.stderr)
            if server.lives % 2 == 0:
                server.fill_disk()
                full_until = time.monotonic() + FULL_SECONDS
    if full_until:
        server.empty_disk()
