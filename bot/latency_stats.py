"""What moves took, for the health of the bot."""

import threading
from dataclasses import dataclass, field


@dataclass
class Measures:
    """What moves took, in milliseconds; the latest thousand."""

    overheads: list[float] = field(default_factory=list)
    """From the state to the request, without thinking."""
    late: list[float] = field(default_factory=list)
    """By which thinking took longer than it was to."""
    killers: list[float] = field(default_factory=list)
    """From the state to the request, where a killer was known."""
    moves: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, overhead: float, late: float | None, *, killer: bool) -> None:
        """Count one move; ``late`` is None if there was nothing to think about."""
        with self._lock:
            self.moves += 1
            _keep(self.overheads, overhead)
            if killer:
                _keep(self.killers, overhead)
            if late is not None:
                _keep(self.late, late)


def _keep(values: list[float], value: float) -> None:
    values.append(value)
    del values[:-1000]


def spread(values: list[float]) -> dict[str, float]:
    """Mean, median, percentiles and maximum; empty without values."""
    found = sorted(values)
    if not found:
        return {}
    places = {"median": 50, "p95": 95, "p99": 99}
    spread = {name: found[len(found) * share // 100] for name, share in places.items()}
    told = {"mean": sum(found) / len(found), **spread, "max": found[-1]}
    return {name: round(value, 2) for name, value in told.items()}
