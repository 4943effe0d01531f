"""Process of a UCI engine: started within a time, and bounded in what is read of it."""

import logging
from collections.abc import Sequence
from pathlib import Path

import chess.engine

from trapcore.errors import EngineError
from trapcore.io.plain_text import harmless_line

START_SECONDS = 15.0
"""How long an engine may take to start."""

LONGEST_LINE = 1 << 20
"""Bytes of a line. An engine that writes a longer one to its standard output is ended."""

_SHOWN = 200
_log = logging.getLogger(__name__)

# It writes each line of an engine that it cannot read, however long; what is wrong then is an error here.
logging.getLogger(chess.engine.__name__).setLevel(logging.CRITICAL)
# It warns where an engine outlives the loop that started it, as one does that has to be ended by force.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class BoundedUci(chess.engine.UciProtocol):
    """The conversation with an engine. No line may be without end, nor fill the log."""

    _has_complained = False

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Take what the engine wrote to its standard output (1) or its standard error (2)."""
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) > LONGEST_LINE:
            self.buffer[fd].clear()
            if fd == 1 and self.transport is not None:
                self.transport.kill()

    def error_line_received(self, line: str) -> None:
        """Log the first line that the engine writes to its standard error."""
        if not self._has_complained:
            self._has_complained = True
            _log.info("an engine writes to its standard error: %s", harmless_line(line[:_SHOWN]))


def start_engine(
    command: str, arguments: Sequence[str] = (), *, folder: Path | None = None
) -> chess.engine.SimpleEngine:
    """Start ``command``, a path or a name in the search path, in a working folder. Raises `EngineError`."""
    try:
        return chess.engine.SimpleEngine.popen(BoundedUci, [command, *arguments], timeout=START_SECONDS, cwd=folder)
    except (OSError, chess.engine.EngineError, TimeoutError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "it does not answer as a UCI engine"
        raise EngineError(f"the engine {command} cannot be started: {reason}") from error
