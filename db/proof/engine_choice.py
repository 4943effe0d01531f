"""Choice of the UCI engine that decides: none, one that is found on this machine, or a command.

Without a choice a Stockfish is used if one is found: it tells more, and is right more often. Every run names it."""

import shutil

OFF = "off"
"""No engine."""

AUTO = "auto"
"""The Stockfish of this machine, or none where there is none."""

_STOCKFISH = "stockfish"


def installed_stockfish() -> str | None:
    """Path of the Stockfish of this machine; None where none is found."""
    # Debian puts it into a folder that is not always searched.
    return shutil.which(_STOCKFISH) or shutil.which("/usr/games/stockfish")


def engine_command(choice: str) -> str | None:
    """Path or command of the engine of a choice: `OFF` (or ``none``), `AUTO`, or a command; None for no engine."""
    if choice == AUTO:
        return installed_stockfish()
    if choice == _STOCKFISH:
        return installed_stockfish() or choice
    return None if choice in (OFF, "none") else choice
