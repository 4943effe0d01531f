"""Files that unpack to millions of times the same bytes, given to every command that reads games."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.web_server import environment, make_library

FILLS = (b"\n", b"[", b"(", b"{", b"\0", b"1. e4 ")
COMMANDS = (
    ("annotate", "games.pgn", "-o", "annotated.pgn", "--tell", "known"),
    ("index", "games.pgn"),
    ("library", "import", "games.pgn"),
)
MEGABYTES = 600
"""Most memory that a command may take for it."""
PEAK = """
import resource, subprocess, sys
ended = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(ended)
"""
"""Runs a command and prints its most memory in kibibytes. The tests themselves cannot ask for it: Linux counts what the
process that starts another one holds as the other one's."""


@pytest.mark.fault
@pytest.mark.parametrize("fill", FILLS, ids=repr)
def test_no_bytes_cost_a_command_much_memory(fill: bytes, tmp_path: Path) -> None:
    make_library(tmp_path / "library.sqlite")
    (tmp_path / "games.pgn").write_bytes(gzip.compress(fill * ((40 << 20) // len(fill)), 1))
    for command in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-c", PEAK, sys.executable, "-m", "trapline", *command, "--db", "library.sqlite"],
            cwd=tmp_path,
            env=environment(tmp_path, {"jobs": 1}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 3), command
        assert int(done.stdout.splitlines()[-1]) / 1024 < MEGABYTES, command
