"""Files that unpack to millions of times the same bytes, given to every command that reads games."""

import gzip
import os
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


@pytest.mark.fault
@pytest.mark.parametrize("fill", FILLS, ids=repr)
def test_no_bytes_cost_a_command_much_memory(fill: bytes, tmp_path: Path) -> None:
    make_library(tmp_path / "library.sqlite")
    (tmp_path / "games.pgn").write_bytes(gzip.compress(fill * ((40 << 20) // len(fill)), 1))
    for command in COMMANDS:
        with (tmp_path / "said").open("w+") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "trapline", *command, "--db", "library.sqlite"],
                cwd=tmp_path,
                env=environment(tmp_path, {"jobs": 1}),
                stdout=said,
                stderr=said,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            assert "Traceback" not in said.read()
        assert process.returncode in (0, 3), command
        assert used.ru_maxrss / 1024 < MEGABYTES, command
