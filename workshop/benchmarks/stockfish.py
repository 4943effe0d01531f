"""Where Stockfish is, for the tests, benchmarks and experiments that ask it."""

from db.proof.engine_choice import installed_stockfish

STOCKFISH = installed_stockfish()
"""Path; None where it is not installed."""
