"""``python -m tests.soak``: play hundreds of games with the real bot under faults and count what was promised.

``python -m tests.soak server`` does the same to the server of the pages, see `tests.soak.server.command`, and
``python -m tests.soak library`` to one library that all programs have open, see `tests.soak.library`.

Exit code: 0 if all promises were kept, 1 if one was broken, 2 for a bad option.
"""

import argparse
import contextlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from db.library.open import open_library
from tests.fake_lichess.faults import KINDS, USUAL_RATES
from tests.fake_lichess.http.server import Server
from tests.soak.baits import BaitLine, agreeing, bundled_lines, write_book
from tests.soak.bot_process import BotProcess
from tests.soak.library import main as soak_library
from tests.soak.matches import Matches
from tests.soak.report import PromiseChecker, SoakReport, show
from tests.soak.server.command import free_port
from tests.soak.server.command import main as soak_server
from trapcore.proof.verdict import Verdict

NAME, TOKEN = "TrapBot", "lip_soak"
#: Real seconds between two looks at the bot's process.
LOOK = 2.0
#: Real seconds without a finished game after which the soak gives up: a bot that has opened the event stream thirty
#: times may have to wait for almost ten minutes before it hears of another challenge.
STUCK = 720.0
#: A game takes seconds here, so that the event stream would be broken more often than a bot may open it.
SPARING = {"/api/stream/event": 0.25}


def main(arguments: Sequence[str]) -> int:
    given = _options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="trapline-soak-"))
    try:
        report = soak(given, folder)
    finally:
        if given.keep:
            print(f"the bot's files are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if given.json:
        print(json.dumps(report.as_json(), indent=1))
    else:
        show(report)
    return 0 if report.passed else 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20, help="games to play; 20 if not given")
    parser.add_argument("--concurrency", type=int, default=8, help="games at the same time")
    parser.add_argument("--faults", default="none", help=f"'all', 'none', or some of {','.join(KINDS)}")
    parser.add_argument("--kill-every", type=int, default=0, help="kill the bot after so many games; 0: never")
    parser.add_argument("--move-seconds", type=float, default=0.1, help="longest search of the bot for a move")
    parser.add_argument("--think", type=float, default=0.3, help="most seconds an opponent thinks about a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--keep", action="store_true", help="keep the bot's folder with its log and its games")
    given = parser.parse_args(arguments)
    if given.games < 1 or not 1 <= given.concurrency <= 64 or given.kill_every < 0 or given.move_seconds <= 0:
        parser.error("--games and --concurrency are 1 or more, --kill-every is 0 or more, --move-seconds above 0")
    try:
        given.rates = _rates(given.faults)
    except ValueError as error:
        parser.error(str(error))
    return given


def _rates(faults: str) -> dict[str, float]:
    if faults == "none":
        return {}
    kinds = list(USUAL_RATES) if faults == "all" else faults.split(",")
    if unknown := set(kinds) - set(KINDS):
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    return {kind: USUAL_RATES[kind] for kind in kinds}


def soak(given: argparse.Namespace, folder: Path) -> SoakReport:
    """Run one soak from an empty folder and report on it."""
    with Server(seed=given.seed, strict=False) as server:
        account, _ = server.bot(NAME, TOKEN)
        book = folder / "baits.bin"
        settings = [
            f"max_games = {given.concurrency}",
            f"move_seconds = {given.move_seconds}",
            f'books = ["{book}"]',
            'speeds = ["bullet", "blitz", "rapid"]',
            'variants = ["standard", "chess960", "fromPosition"]',
        ]
        bot = BotProcess(folder, server.url, TOKEN, free_port(), settings)
        bot.prepare()
        lines = _proved_lines(bot.library, given.seed)
        write_book(lines, book)
        bot.start()
        try:
            matches = server.do(
                lambda site: Matches(site, account, lines, given.games, given.concurrency, given.think, given.seed)
            )
            began = time.monotonic()
            server.do(lambda _: matches.begin())
            server.do(lambda _: server.faults.at_random(given.rates, given.seed, SPARING))
            health: list[dict[str, Any]] = []
            with contextlib.suppress(KeyboardInterrupt):
                _watch(server, matches, bot, given, health)
            seconds = time.monotonic() - began
            server.do(lambda _: server.faults.clear())
            # Games are annotated and written after they are over.
            _wait_for_records(server, matches, bot)
        finally:
            code = bot.stop()
        return server.do(
            lambda site: PromiseChecker(site.record, server.faults.log, matches, bot, health, code, seconds).report()
        )


def _proved_lines(library: Path, seed: int) -> list[BaitLine]:
    with open_library(library, read_only=True) as opened:
        proved = [trap.slug for trap in opened.traps() if trap.verdict is Verdict.PROVED]
    return agreeing(bundled_lines(proved), seed)


def _watch(
    server: Server, matches: Matches, bot: BotProcess, given: argparse.Namespace, health: list[dict[str, Any]]
) -> None:
    """Measure, kill and wait until all games are over, none has ended for long, or somebody has had enough."""
    kill_at = given.kill_every or given.games + 1
    ended, moved = 0, time.monotonic()
    while matches.finished < given.games:
        time.sleep(LOOK)
        bot.restart_if_dead()
        bot.measure(server.do(lambda _: matches.running()))
        if (found := bot.health()) is not None:
            health.append(found)
        if matches.finished > ended:
            ended, moved = matches.finished, time.monotonic()
            if not given.json:
                print(f"{ended} of {given.games} games", file=sys.stderr)
        if time.monotonic() - moved > STUCK:
            break
        if matches.finished >= kill_at and matches.finished < given.games:
            kill_at = matches.finished + given.kill_every
            bot.kill_and_restart()


def _wait_for_records(server: Server, matches: Matches, bot: BotProcess, patience: float = 30.0) -> None:
    wanted = server.do(lambda _: matches.to_record())
    end = time.monotonic() + patience
    while time.monotonic() < end and wanted - bot.recorded_games():
        time.sleep(0.5)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        if sys.argv[1:2] == ["server"]:
            sys.exit(soak_server(sys.argv[2:]))
        if sys.argv[1:2] == ["library"]:
            sys.exit(soak_library(sys.argv[2:]))
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as failed:
        print(f"{failed}: {failed.stderr.decode()}", file=sys.stderr)
        sys.exit(2)
