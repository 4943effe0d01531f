"""The end of a command: Ctrl-C at any moment gives exit code 130 and no traceback, and no thread aborts it."""

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


AT_WORK = """
import sys, threading, time, types
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search
from trapline.__main__ import main

class Late:
    def __del__(self, sleep=time.sleep):
        sleep(1.0)

known, begun = threading.current_thread, threading.Event()

def slow():
    # The core asks for the thread at the begin of a call.
    found = known()
    if found is worker:
        begun.set()
        time.sleep(0.2)
    return found

def work():
    while True:
        search("8/8/8/8/8/4k3/8/R3K3 w - - 0 1", Budget(depth=1))

# Python deletes it when no daemon may come back any more.
sys.modules["late"] = types.ModuleType("late")
sys.modules["late"].late = Late()
threading.current_thread = slow
worker = threading.Thread(target=work, daemon=True)
worker.start()
begun.wait()
sys.argv[1:] = ["prove", "--no-such-option"] if sys.argv[1] == "2" else ["--version"]
main()
"""


@pytest.mark.parametrize("code", [0, 2])
def test_a_thread_that_is_at_work_in_the_core_at_the_end_does_not_abort_the_process(code: int) -> None:
    done = subprocess.run([sys.executable, "-c", AT_WORK, str(code)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "FATAL" in done.stderr) == (code, False)
    assert bool(done.stdout) is (code == 0)
