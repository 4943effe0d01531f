"""Waiting for a condition without fixed sleeps."""

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_SECONDS = 120.0
"""Seconds after which a test gives up: a busy machine takes many times what an idle one does."""


def until(condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Poll until the condition is true; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def processor_seconds(pid: int) -> float:
    """Seconds of processor time that a process has used: those that tell how far it is, however busy the machine."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
