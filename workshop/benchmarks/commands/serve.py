"""A server over a hundred thousand traps: questions for similar traps on loopback, by wrk, as many as it answers.

Each question is the position of another puzzle, from all over them; the server has no limit of rate, keeps
nothing of its answers, and wrk shares the processors with it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from workshop.benchmarks.commands.million import million
from workshop.benchmarks.material import puzzle_rows
from workshop.benchmarks.table import Row

TRAPS = 100_000
POSITIONS = 5000
CLIENTS = 8
SECONDS = 15
WANTED_RATE = 200.0
WANTED_MILLISECONDS = 100.0

_SCRIPT = """
local paths = {}
for line in io.lines("%s") do paths[#paths + 1] = line end
local at = 0
request = function()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at])
end
"""


def rows() -> list[Row]:
    """Rate, times and errors, for eight clients at once."""
    wrk = shutil.which("wrk")
    if wrk is None:
        return [Row("questions by wrk", "", "not installed (Debian: wrk)")]
    with tempfile.TemporaryDirectory() as name, server(million(TRAPS), Path(name)) as url:
        folder = Path(name)
        (folder / "paths").write_text("".join(f"{path}\n" for path in _paths()))
        (folder / "questions.lua").write_text(_SCRIPT % (folder / "paths"))
        _run(wrk, folder, url, 5)  # until index, caches and allocator have what they need
        rate, milliseconds, errors = _run(wrk, folder, url, SECONDS)
    within = f"{WANTED_MILLISECONDS:g} ms wanted"
    return [
        Row(f"similar traps, {CLIENTS} clients at once, answers/s", f"{rate:,.0f}", f"{WANTED_RATE:g} wanted",
            rate / WANTED_RATE, 1.0),
        Row("99 % within", f"{milliseconds:,.1f} ms", within, WANTED_MILLISECONDS / milliseconds, 1.0),
        Row("errors", str(errors), "none wanted", 1.0 if errors == 0 else 0.0, 1.0),
    ]  # fmt: skip


def _paths() -> Iterator[str]:
    """Questions about the positions before the baits, from all over the puzzles."""
    for row in list(puzzle_rows())[:: 58_000 // POSITIONS]:
        yield f"/api/v1/traps?similar=10&fen={quote(row['FEN'])}"


@contextmanager
def server(library: Path, folder: Path) -> Iterator[str]:
    """A server on loopback over a library, without a limit of rate, whose index is made; its address."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRAPLINE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "trapline", "serve", "--db", str(library), "--port", "0"],
        env={**environment, "HOME": str(folder), "TRAPLINE_WEB_RATE": "0"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        found = re.search(r"at (http://\S+)", process.stderr.readline())
        if found is None:
            raise RuntimeError(f"the server did not start: {process.stderr.read()}")
        # The first question builds the index of killers, once for each library; it may take as long as it takes.
        subprocess.run(
            [sys.executable, "-m", "trapline", "propose", "--db", str(library), "--nodes", "0", _FIRST], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        yield found[1].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        if process.stderr is not None:
            process.stderr.close()


_FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def _run(wrk: str, folder: Path, url: str, seconds: int) -> tuple[float, float, int]:
    """Answers a second, the time in milliseconds within which 99 % came, and how many were errors or none."""
    command = [wrk, "-t1", f"-c{CLIENTS}", f"-d{seconds}s", "--latency", "--timeout", "10s"]
    done = subprocess.run(
        [*command, "-s", str(folder / "questions.lua"), url], capture_output=True, text=True, check=True
    ).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done)
    within = re.search(r"99%\s+([\d.]+)(us|ms|s)", done)
    if rate is None or within is None:
        raise RuntimeError(f"wrk says something unexpected: {done}")
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", done)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", done)
    errors = int(wrong[1]) if wrong else 0
    errors += sum(map(int, broken.groups())) if broken else 0
    return float(rate[1]), float(within[1]) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[within[2]], errors
