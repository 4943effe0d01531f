"""Log messages that are written only the first time."""

import logging

LIMIT = 1000
"""Most keys that are remembered; behind them nothing new is written, so that nobody can fill memory or the log."""


class OnceLogger:
    """Writes to a logger each message once for its key, until `reset`."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._written: set[str] = set()

    def write(self, level: int, key: str, message: str, *values: object) -> None:
        """Log ``message`` with its values at ``level``, unless something was logged for ``key`` before."""
        if key not in self._written and len(self._written) < LIMIT:
            self._written.add(key)
            self._log.log(level, message, *values)

    def reset(self, key: str) -> None:
        """Let the next message for ``key`` be written again."""
        self._written.discard(key)
