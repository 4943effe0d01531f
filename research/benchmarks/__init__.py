"""Speed as ratios to a reference in the same run: ``make bench`` or ``python -m research.benchmarks [NAME…]``.

Absolute times say more about the machine than about the program, so every row names its reference: python-chess with
numpy, pgn-extract, Stockfish. A reference that is not installed leaves its rows out and says so.
"""
