"""Two installations of trapline run in turn: what annotate, index and query cost with the second, over the first.

::

    python -m workshop.benchmarks.paired BEFORE/bin/python AFTER/bin/python [--runs N]

Each run is a whole process, start-up included, and what counts is its processor time, user and system together. The two
take turns, so that other work of the machine falls on both; the figure is the median of the ratios of
neighbouring runs.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from trapcore.errors import TraplineError, UsageError
from workshop.benchmarks.material import DATA, MASTERS, master_games

TRAPS = 3000
"""Puzzles that the library is made of."""
GAMES = 1000
"""Games that are annotated by move sequences, and indexed."""
DEFAULT_GAMES = 40
"""Games that are annotated by the default measure, which looks at each position far longer."""
TOLERANCE = 0.05
LEGALS_MATE = "r2qkbnr/ppp2ppp/2np4/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1"


@dataclass(frozen=True, slots=True)
class Pair:
    """Processor seconds of one workload, of both installations in each turn."""

    workload: str
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Median of second over first."""
        return statistics.median(b / a for a, b in zip(self.before, self.after, strict=True))

    @property
    def ratio_of_least(self) -> float:
        """Least of second over least of first: what other work on the machine disturbs least."""
        return min(self.after) / min(self.before)

    @property
    def is_within_tolerance(self) -> bool:
        """Whether the second costs at most a twentieth more."""
        return self.ratio <= 1 + TOLERANCE


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment in which trapline is installed, with a home of its own."""

    python: Path
    home: Path

    def cpu_seconds(self, arguments: Sequence[str]) -> float:
        """Processor time of one command, its children included. Raises `UsageError` if it fails."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(("TRAPLINE_", "PYTHON"))}
        env |= {"HOME": str(self.home), "TRAPLINE_DB": str(self.home / "library.sqlite")}
        env |= {f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
        with (self.home / "errors").open("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [self.python, "-m", "trapline", *arguments],
                cwd=self.home,
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                errors.seek(0)
                raise UsageError(f"{self.python} -m trapline {' '.join(arguments)}: {errors.read()[-2000:]}")
        return usage.ru_utime + usage.ru_stime


def run_pairs(before: Installation, after: Installation, games: Path, few_games: Path, runs: int) -> list[Pair]:
    """Every workload ``runs`` times with each installation, in turn. Both have a library already."""
    workloads = {
        f"annotate, sequences, {GAMES:,} games": [
            "annotate",
            str(games),
            "--tell",
            "similar",
            "--engine",
            "off",
            "--measure",
            "sequences",
            "-o",
            "out.pgn",
        ],
        f"annotate, default measure, {DEFAULT_GAMES} games": [
            "annotate",
            str(few_games),
            "--tell",
            "similar",
            "--engine",
            "off",
            "-o",
            "few.pgn",
        ],
        f"index, {GAMES:,} games": ["index", str(games)],
        "query by position, ten similar": ["query", "--fen", LEGALS_MATE, "--similar", "10"],
        "query by name": ["query", "--name", "legal"],
    }
    found = []
    for workload, arguments in workloads.items():
        seconds: tuple[list[float], list[float]] = ([], [])
        for turn in range(runs + 1):
            for place in (0, 1) if turn % 2 else (1, 0):
                one = (before, after)[place]
                if arguments[0] == "index":  # anew: games that are indexed already are skipped
                    (one.home / "library.sqlite").write_bytes((one.home / "empty.sqlite").read_bytes())
                spent = one.cpu_seconds(arguments)
                if turn:  # the first fills the caches of the system
                    seconds[place].append(spent)
        pair = Pair(workload, tuple(seconds[0]), tuple(seconds[1]))
        print(f"{workload}: {pair.ratio:.3f}, of the least {pair.ratio_of_least:.3f}", file=sys.stderr)
        found.append(pair)
    return found


def make_library(installation: Installation) -> None:
    """A library of the first puzzles, and a copy of it in which no games are indexed."""
    puzzles = DATA / "puzzles" / "lichess_puzzles_open.csv.zst"
    installation.cpu_seconds(["library", "import", str(puzzles), "--limit", str(TRAPS)])
    library = installation.home / "library.sqlite"
    (installation.home / "empty.sqlite").write_bytes(library.read_bytes())


def show_pairs(pairs: Sequence[Pair]) -> None:
    """Print the medians of both and the ratio."""
    table = Table(title="processor time, second over first", title_justify="left")
    for heading in ("what", "first", "second", "ratio", "ratio of least", f"within {TOLERANCE:.0%}"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for pair in pairs:
        first, second = statistics.median(pair.before), statistics.median(pair.after)
        ratios = f"{pair.ratio:.3f}", f"{pair.ratio_of_least:.3f}"
        table.add_row(
            pair.workload, f"{first:.2f} s", f"{second:.2f} s", *ratios, "yes" if pair.is_within_tolerance else "NO"
        )
    Console(width=120).print(table)


def main(arguments: Sequence[str]) -> int:
    """Exit code: 0 if all is within the tolerance, 1 if not, or that of the error."""
    parser = argparse.ArgumentParser(prog="python -m workshop.benchmarks.paired")
    parser.add_argument("before", type=Path, help="python of the environment that counts as 1")
    parser.add_argument("after", type=Path, help="python of the environment that is compared with it")
    parser.add_argument("--runs", type=int, default=7, help="runs of each, 1 or more; default 7")
    given = parser.parse_args(arguments)
    try:
        if given.runs < 1:
            raise UsageError(f"--runs must be at least 1, not {given.runs}")
        if not MASTERS.exists():
            raise UsageError("this needs the real games beside the checkout, which are not here")
        with tempfile.TemporaryDirectory() as folder:
            pairs = _measured(given.before.absolute(), given.after.absolute(), Path(folder), given.runs)
    except TraplineError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    show_pairs(pairs)
    return 0 if all(pair.is_within_tolerance for pair in pairs) else 1


def _measured(before: Path, after: Path, folder: Path, runs: int) -> list[Pair]:
    games, few_games = folder / "games.pgn", folder / "few.pgn"
    games.write_bytes(b"".join(master_games(GAMES)))
    few_games.write_bytes(b"".join(master_games(DEFAULT_GAMES)))
    both = []
    for name, python in (("before", before), ("after", after)):
        (folder / name).mkdir()
        installation = Installation(python, folder / name)
        make_library(installation)
        both.append(installation)
    return run_pairs(both[0], both[1], games, few_games, runs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
