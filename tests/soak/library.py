"""``python -m tests.soak.library``: one library under a server, a service, a bot and every reading command at once.

Clients read every page of the server, write to it and upload games. The service indexes a folder. The bot plays games
against a lichess that makes faults, and records them. Each reading command runs in a loop, and some are killed, as are
the service and the bot. A row counts as acknowledged if a program said so, or if any look at the library has seen it:
it must be there in the end.

Exit code: 0 if every acknowledged row is there, 1 if one is missing, 2 for a bad option.
"""

import argparse
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import delete, select

import trapline
from annotator.record import record_losing_moves
from annotator.settings import AnalysisSettings
from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.open import open_library
from db.storage.tables import GameRow, LeaseRow, LosingMoveRow, PracticeReviewRow, SourceRow
from tests.fake_lichess.faults import USUAL_RATES
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.record import VIOLATIONS, Violation
from tests.soak import writers
from tests.soak.baits import agreeing, bundled_lines, write_book
from tests.soak.bot_process import BotProcess
from tests.soak.kept_rows import kept_rows
from tests.soak.matches import Matches
from tests.soak.readers import Known, read
from tests.soak.report import Row, SoakReport, show
from tests.soak.requests import Client, Record
from tests.soak.server_process import ServerProcess
from tests.support.practice_library import GAMES as PRACTICE_GAMES
from tests.support.practice_library import PLAYER
from tests.support.trap_games import AVOIDED, FELL, MISSED, QUIET, game
from tests.support.web_server import build_library, environment
from trapcore.parallel.pools import threads

FILE_GAMES = 200
"""Games of each file that the service finds in its folder."""

FIRST_FILES = 10
"""Files that lie there from the beginning; each look at the library adds one."""

SETTLED_SECONDS = 1000.0
"""Age that each new file claims: the service leaves files alone while somebody may be writing to them."""

READING = (
    "query --name legal",
    "query --fen {fen}",
    "library list --json",
    "library show legal-mate",
    "library export -o {out}/traps.pgn",
    "library backup {out}/copy.sqlite",
    "explore --moves e4",
    "report {player} -o {out}/report.html",
    "practise --player {player} --progress",
    "practise --player {player} --export {out}/exercises.pgn",
    "annotate {out}/games.pgn -o {out}/annotated.pgn",
    "propose {fen}",
    "doctor --proofs 1",
)
"""Commands that write nothing to the library, each with ``--db``."""

FEN = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
KILLED_SHARE = 0.3
"""Share of the reading commands that are killed, after at most `KILL_SECONDS`."""

KILL_SECONDS = 3.0
KILL_EVERY = 15.0
"""Seconds between two kills of the service or the bot, in turn."""

FORBIDDEN = tuple(kind for kind in VIOLATIONS if kind != "late_move")
"""A bot cannot know at once that its game is over."""

SPARING = {"/api/stream/event": 0.25}
"""A game takes seconds here: at the usual rate the bot would need the event stream more often than it may open it."""

PAUSE = 0.15
"""Seconds between two requests of a reader, on average."""

Rows = dict[str, set[object]]


def free_port() -> int:
    """A port of the loopback interface that nobody listens at."""
    with closing(socket.socket()) as made:
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
        return Known(slugs, library.counts().games, (PLAYER,))


def expected_upload(library: Path, games: Path) -> tuple[bytes, bytes]:
    """Games to upload and what comes back; ``games`` is where to write them meanwhile."""
    moves = (FELL, AVOIDED, MISSED, QUIET)
    games.write_text("".join(game(moves[n % len(moves)], Round=str(n)) for n in range(60)))
    with trapline.open(library, read_only=True) as opened:
        return games.read_bytes(), trapline.annotate(games, library=opened, tell="known").encode()


def rows_of(path: Path) -> Rows:
    """Returns what the library has of all that is written in a soak, by kind."""
    with open_library(path, read_only=True) as library, library.database.read() as connection:
        moves = select(GameRow.digest, LosingMoveRow.ply).join(GameRow, GameRow.id == LosingMoveRow.game_id)
        return {
            "games": set(connection.scalars(select(GameRow.digest))),
            "losing moves": {tuple(row) for row in connection.execute(moves)},
            "practice answers": set(connection.scalars(select(PracticeReviewRow.id))),
        }


def lost_rows(seen: Rows, there: Rows) -> list[Row]:
    """Compares what was seen at any time with what is there in the end."""
    rows = []
    for kind, before in seen.items():
        lost = len(before - there[kind])
        rows.append(
            Row(f"{kind}: seen {len(before):,}, in the end {len(there[kind]):,}, lost", f"{lost}", "0", not lost)
        )
    return rows


@dataclass
class Readers:
    """Runs the reading commands one after the other and kills some."""

    library: Path
    folder: Path
    seed: int
    ran: Counter[str] = field(default_factory=Counter)
    killed: int = 0
    wrong: list[str] = field(default_factory=list)

    def run(self, stopped: threading.Event) -> None:
        """Goes through all commands until ``stopped``."""
        chance = random.Random(self.seed)
        self.folder.mkdir()
        (self.folder / "games.pgn").write_text(game(FELL) + game(MISSED))
        while not stopped.is_set():
            for command in READING:
                is_killed = chance.random() < KILLED_SHARE
                self._run(command, chance.uniform(0.1, KILL_SECONDS) if is_killed else math.inf, stopped)

    def _run(self, command: str, kill_after: float, stopped: threading.Event) -> None:
        words = [word.format(fen=FEN, out=self.folder, player=PLAYER) for word in command.split()]
        process = subprocess.Popen(
            [sys.executable, "-m", "trapline", *words, "--db", str(self.library)],
            env=environment(self.folder, {}),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + kill_after
        with process:
            while process.poll() is None:
                if time.monotonic() >= end or stopped.wait(0.05):
                    process.kill()
                    self.killed += 1
                    return
            assert process.stderr is not None
            said = process.stderr.read()
        self.ran[command.split()[0]] += 1
        if process.returncode:
            self.wrong.append(f"{command}: exit code {process.returncode}: {said[-300:]}")


@dataclass
class ServiceProcess:
    """``trapline service run`` over a folder of games."""

    library: Path
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None
    files: int = 0

    def start(self) -> None:
        """Starts it, as if the minute had passed after which the lease of a killed process ends."""
        drop_leases(self.library)
        with (self.folder / "service.log").open("ab") as log:
            self.process = subprocess.Popen(self._command("service", "run"), env=self._variables(), stderr=log)

    def index(self) -> None:
        """Runs the job once to its end. Raises `subprocess.CalledProcessError`."""
        drop_leases(self.library)
        subprocess.run(self._command("jobs", "run", "folders"), env=self._variables(), check=True, capture_output=True)

    def _variables(self) -> dict[str, str]:
        return environment(self.folder, {"measure": "sequences"})

    def _command(self, *words: str) -> list[str]:
        config = self.folder / "trapline.toml"
        config.write_text(
            f'[service]\nfolder = "{self.folder}"\nfolders = ["{self.folder / "games"}"]\npoll_minutes = 1\n'
        )
        return [sys.executable, "-m", "trapline", "--config", str(config), *words, "--db", str(self.library)]

    def add_file(self) -> None:
        """Puts another file of games into the folder."""
        self.files += 1
        tags = [{"Round": f"{self.files}.{number}"} for number in range(FILE_GAMES)]
        path = self.folder / "games" / f"{self.files}.pgn"
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        hidden.write_text("".join(game(AVOIDED if n % 2 else QUIET, **tags[n]) for n in range(FILE_GAMES)))
        then = time.time() - SETTLED_SECONDS
        os.utime(hidden, (then, then))
        hidden.replace(path)

    def end(self, number: int) -> int:
        """Sends a signal and returns the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(60)


def drop_leases(path: Path) -> None:
    """Ends the leases of processes that are dead."""
    with open_library(path) as library, library.database.write() as connection:
        connection.execute(delete(LeaseRow))


@dataclass
class Soak:
    """All processes over one library, and what was seen of it."""

    folder: Path
    server: ServerProcess
    service: ServiceProcess
    bot: BotProcess
    readers: Readers
    seen: Rows = field(default_factory=dict)
    kills: int = 0

    def look(self) -> None:
        """Remembers every row that is there now."""
        for kind, rows in rows_of(self.server.library).items():
            self.seen.setdefault(kind, set()).update(rows)

    def disturb(self, seconds: float) -> None:
        """Adds games, looks, and kills the service and the bot in turn, for so long."""
        end = time.monotonic() + seconds
        kill_at = time.monotonic() + min(KILL_EVERY, seconds / 4)
        while time.monotonic() < end:
            time.sleep(1.0)
            self.server.restart_if_dead()
            self.bot.restart_if_dead()
            self.service.add_file()
            self.look()
            if time.monotonic() >= kill_at:
                self.kills += 1
                if self.kills % 2:
                    self.service.end(signal.SIGKILL)
                    self.service.start()
                else:
                    self.bot.kill_and_restart()
                kill_at = time.monotonic() + KILL_EVERY


def _works(
    clients: Sequence[Client],
    known: Known,
    uploaded: tuple[bytes, bytes],
    acknowledged: writers.Acknowledged,
    seed: int,
) -> list[Callable[[threading.Event], None]]:
    """What clients do to the server, each until it is stopped."""
    traps = [trap for trap in bundled_traps() if trap.slug not in known.slugs and len(trap.killer_line) <= 3][:8]
    return [
        partial(writers.write_traps, clients[0], traps, acknowledged, seed),
        partial(writers.write_reports, clients[1], acknowledged),
        partial(writers.practise, clients[2], PLAYER, acknowledged),
        partial(writers.upload, clients[3], *uploaded, acknowledged),
        partial(read, clients[4], known, seed, PAUSE),
    ]


def soak(seconds: float, seed: int, folder: Path) -> SoakReport:
    """Runs one soak from an empty folder and reports on it."""
    server = ServerProcess(folder / "server", free_port())
    server.folder.mkdir()
    known = make_soak_library(server.library, folder)
    uploaded = expected_upload(server.library, folder / "upload.pgn")
    record, acknowledged, stopped = Record(), writers.Acknowledged(), threading.Event()
    service = ServiceProcess(server.library, folder / "service")
    readers = Readers(server.library, folder / "readers", seed)
    with Server(seed=seed, strict=False) as site:
        account, _ = site.bot("TrapBot", "lip_soak")
        settings = ["max_games = 3", "move_seconds = 0.05", f'books = ["{folder / "baits.bin"}"]']
        bot = BotProcess(folder / "bot", site.url, "lip_soak", free_port(), settings, server.library)
        lines = agreeing(bundled_lines(known.slugs), seed)
        write_book(lines, folder / "baits.bin")
        bot.write_settings()
        it = Soak(folder, server, service, bot, readers)
        for _ in range(FIRST_FILES):
            service.add_file()
        service.start()
        server.start()
        bot.start()
        clients = [Client(server, record, kind) for kind in ("write", "report", "practice", "upload", "page")]
        works = [readers.run, *_works(clients, known, uploaded, acknowledged, seed)]
        working = [threading.Thread(target=work, args=(stopped,)) for work in works]
        try:
            matches = site.do(lambda found: Matches(found, account, lines, 3, 0.1, seed))
            site.do(lambda _: matches.begin())
            site.do(lambda _: site.faults.at_random(USUAL_RATES, seed, SPARING))
            for thread in working:
                thread.start()
            it.disturb(seconds)
            site.do(lambda _: site.faults.clear())
            played = site.do(lambda _: matches.to_record())
            end = time.monotonic() + 30.0
            while played - bot.recorded_games() and time.monotonic() < end:
                time.sleep(0.5)
        finally:
            stopped.set()
            for thread in working:
                thread.join(writers.JOB_SECONDS)
            for client in clients:
                client.close()
            codes = [bot.stop(60.0), service.end(signal.SIGTERM), server.stop(60.0)]
        violations = site.do(lambda found: found.record.of(*FORBIDDEN))
    service.index()
    return report(it, acknowledged, record, played, violations, codes, known.games)


def report(
    it: Soak,
    acknowledged: writers.Acknowledged,
    record: Record,
    played: set[str],
    violations: Sequence[Violation],
    codes: list[int],
    games: int,
) -> SoakReport:
    """Counts what was acknowledged, when all processes have ended."""
    rows, details = [], list[str]()

    def none(what: str, found: Sequence[object]) -> None:
        rows.append(Row(what, str(len(found)), "0", not found))
        details.extend(f"{what}: {one}" for one in found[:20])

    path = it.server.library
    there = rows_of(path)
    with open_library(path, read_only=True) as library, library.database.read() as connection:
        stored = set(connection.scalars(select(GameRow.digest)))
        losers = set(connection.scalars(select(GameRow.black).join(LosingMoveRow, LosingMoveRow.game_id == GameRow.id)))
    rows += lost_rows(it.seen, there)
    none(f"games of the bot that are not recorded, of {len(played)}", sorted(played - it.bot.recorded_games()))
    left_out = {name for name, digest in it.bot.recorded_digests().items() if digest not in stored}
    none("recorded games of the bot, neither indexed nor waiting", sorted(left_out - it.bot.waiting_games()))
    none("violations of lichess's rules by the bot", violations)
    missing = it.service.files * FILE_GAMES - _indexed(path, it.service.folder)
    rows.append(Row(f"games of the service's {it.service.files} files, not indexed", f"{missing}", "0", not missing))
    none("finished reports without a losing move", sorted(acknowledged.players - losers))
    rows += kept_rows(path, acknowledged, none, games)
    none("reading commands that failed", it.readers.wrong)
    none("answers that may not be", record.wrong)
    none("ends nobody asked for", [*it.server.died, *it.bot.died])
    rows.append(Row("exit codes of bot, service and server", str(codes), "[0, 0, 0]", not any(codes)))
    none("files beside the library in the end", [p.name for p in path.parent.glob("library.sqlite-*")])
    refused = sum(count for (_, status), count in record.statuses.items() if status == 503)
    rows.append(Row("  refused with 503", f"{refused} of {sum(record.statuses.values()):,}"))
    ran = it.readers.ran.total()
    rows.append(Row("  reading commands: ended, killed", f"{ran}, {it.readers.killed}", "> 0", ran > 0))
    rows.append(Row("  kills of service and bot", str(it.kills), "> 0", it.kills > 0))
    return SoakReport(rows, details)


def _indexed(path: Path, folder: Path) -> int:
    with open_library(path, read_only=True) as library, library.database.read() as connection:
        files = select(SourceRow.id).where(SourceRow.path.startswith(str(folder / "games")))
        return len(connection.scalars(select(GameRow.id).where(GameRow.source_id.in_(files))).all())


def main(arguments: Sequence[str]) -> int:
    """Runs it and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.library", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="how long; 120 if not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folder with the library and the logs")
    given = parser.parse_args(arguments)
    if not 1 <= given.seconds <= 1e6:
        parser.error("--seconds is 1 or more")
    folder = Path(tempfile.mkdtemp(prefix="trapline-soak-"))
    try:
        found = soak(given.seconds, given.seed, folder)
    finally:
        if given.keep:
            print(f"the files are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    show(found)
    return 0 if found.passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
