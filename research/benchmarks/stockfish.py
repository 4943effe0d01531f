"""Where Stockfish is, for the tests, benchmarks and experiments that ask it."""

import shutil

STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
"""Path; None where it is not installed. Debian puts it into a folder that is not always searched."""
