"""Waiting for a condition without fixed sleeps."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 25.0) -> None:
    """Poll until the condition is true; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
