"""Ctrl-C at any moment of a command: its exit code is 130, and no traceback is printed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

START = """
import os, signal, sys, threading
from trapline.__main__ import main
threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT)).start()
sys.argv[1:] = ["propose", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]
main()
"""


@pytest.mark.parametrize("seconds", [0.005, 0.05, 0.2, 0.6])
def test_ctrl_c_prints_no_traceback_and_exits_with_130(seconds: float, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, str(seconds)], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert "Traceback" not in done.stderr
    # The command may have come to its end before, with its whole answer.
    assert done.returncode == 128 + signal.SIGINT or (done.returncode == 0 and done.stdout.endswith("\n"))
