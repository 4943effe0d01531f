"""Latency of the moves, for the health endpoint. Milliseconds throughout."""

import threading
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

SAMPLES = 1000
"""Latest values of each kind that are considered."""


def _samples() -> deque[float]:
    return deque(maxlen=SAMPLES)


@dataclass
class LatencyStats:
    """Latency of the latest moves."""

    overheads: deque[float] = field(default_factory=_samples)
    """From the position to the request that sends the move, without thinking."""
    late: deque[float] = field(default_factory=_samples)
    """Thinking beyond the planned time."""
    killers: deque[float] = field(default_factory=_samples)
    """From the position to the request, where a killer was known."""
    moves: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, overhead: float, late: float | None, *, killer: bool) -> None:
        """Count one move; ``late`` is None if there was no search."""
        with self._lock:
            self.moves += 1
            self.overheads.append(overhead)
            if killer:
                self.killers.append(overhead)
            if late is not None:
                self.late.append(late)


def spread(values: Collection[float]) -> dict[str, float]:
    """Mean, median, 95th and 99th percentile and maximum; empty without values."""
    found = sorted(values)
    if not found:
        return {}
    ranks = {"median": 50, "p95": 95, "p99": 99}
    percentiles = {name: found[len(found) * share // 100] for name, share in ranks.items()}
    summary = {"mean": sum(found) / len(found), **percentiles, "max": found[-1]}
    return {name: round(value, 2) for name, value in summary.items()}
