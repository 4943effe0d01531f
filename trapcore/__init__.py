"""Local trees of any game, the measures of similarity on them, and proofs and search for chess.

==================  =======================================================================
errors.py           errors that users see, and their exit codes; the nearest name to a misspelt one
extras.py           error for a library that is installed only with an extra of the package
settings.py         base class of a section of the settings, folders for data and caches
statistics.py       intervals of shares
version.py          installed version of trapline
piece_values.py     values of the chess pieces
win_chance.py       win chance of a value, and what an inaccuracy, a mistake and a blunder cost
io/                 byte streams, files of positions, atomic writes, tokens, logs
parallel/           budgets, cancellation, pools of threads, a Dask cluster
engines/            UCI engines as processes
trees/              local trees, chess as a game, the frozen position key
measures/           similarity of two positions by their local trees
proof/              forced mates, search, the trap test
ranking/            which move to try first: features of moves, learned weights
==================  =======================================================================

``_native`` is the Rust core (``_native.pyi``, source in ``native/``): measures, keys, proofs and search for chess, PGN
at speed. ``workshop.reference`` defines in plain Python what it computes; tests compare.
"""
