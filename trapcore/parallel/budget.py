"""Budget of a question, and its cancellation by another thread.

A budget belongs to one question; calls that ask several (the trap test asks four, for each bait) say so. With nodes and
depth the answer is the same everywhere, with milliseconds it depends on the machine. Ctrl-C in the main thread ends any
call at once with ``KeyboardInterrupt``.
"""

from dataclasses import dataclass

from trapcore._native import Cancellation
from trapcore.errors import UsageError

__all__ = ["MAX_DEPTH", "Budget", "Cancellation"]

MAX_DEPTH = 64
"""Deepest search, in plies."""

_MOST = 2**63 - 1  # what Rust and SQL hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one question. The first one that is reached ends it. None is no limit.

    Raises ``UsageError``, which names the field, for a value out of range, and if there is no limit at all.
    """

    nodes: int | None = None
    """Positions made on a board, 1 or more."""
    depth: int | None = None
    """Plies of a search, 1..64. A proof of mate takes none: how many moves it may have is part of the question."""
    milliseconds: int | None = None
    """Wall-clock time, 1 or more; looked at about every millisecond."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check("nodes", self.nodes, _MOST)
        _check("depth", self.depth, MAX_DEPTH)
        _check("milliseconds", self.milliseconds, _MOST)
        if self.nodes is None and self.depth is None and self.milliseconds is None:
            raise UsageError("a budget needs nodes, depth or milliseconds")

    def for_search(self) -> tuple[int, int, int | None]:
        """Depth, nodes and milliseconds as the core takes them."""
        return self.depth or MAX_DEPTH, self.nodes or _MOST, self.milliseconds

    def for_proof(self) -> tuple[int, int | None]:
        """Nodes and milliseconds as the core takes them; raises ``UsageError`` for a budget with a depth."""
        if self.depth is not None:
            raise UsageError("depth is no limit of a proof: say in how many moves the mate must be")
        return self.nodes or _MOST, self.milliseconds


def _check(field: str, value: object, most: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{field} must be a whole number, not {value!r}")
    if value < 1:
        raise UsageError(f"{field} must be at least 1, not {value}")
    if value > most:
        raise UsageError(f"{field} must be at most {most}, not {value}")
