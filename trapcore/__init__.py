"""Local trees of any game, the measures of similarity on them, and proofs and search for chess.

==================  =======================================================================
errors.py           base classes of the errors that users see, and their exit codes
extras.py           error for a library that is installed only with an extra of the package
settings.py         base class of a section of the settings, folders for data and caches
suggestions.py      error for a misspelt name, which names the nearest valid one
version.py          installed version of trapline
lazy_names.py       names of a package that are imported when they are first used
piece_values.py     values of the chess pieces, in centipawns and in pawns
io/                 byte streams, files of positions, atomic writes, tokens, logs
parallel/           budgets, cancellation, pools of threads, a Dask cluster
trees/              local trees of chess and of other games, the frozen position key
measures/           similarity of two positions by their local trees
proof/              forced mates, search, the trap test
ranking/            which move to try first: features of moves, learned weights
==================  =======================================================================

``_native`` is the Rust core (``_native.pyi``, source in ``native/``): measures, keys, proofs and search for chess, PGN
at speed. Everything that it computes about one position has its plain definition here. Tests compare the two.
"""

from trapcore.lazy_names import lazy_names

_MODULE_OF = {
    "BaitTest": "trapcore.proof.trap_test",
    "Budget": "trapcore.parallel.budget",
    "Cancellation": "trapcore.parallel.budget",
    "check_bait": "trapcore.proof.trap_test",
    "chess_tree": "trapcore.trees.chess_game",
    "Compared": "trapcore.measures.comparison",
    "Comparison": "trapcore.measures.comparison",
    "EngineError": "trapcore.errors",
    "find_baits": "trapcore.proof.trap_test",
    "Game": "trapcore.trees.tree",
    "GAMES": "trapcore.trees.games",
    "IndexedMeasure": "trapcore.measures.options",
    "InputError": "trapcore.errors",
    "Labels": "trapcore.trees.chess_game",
    "LibraryError": "trapcore.errors",
    "line_themes": "trapcore.proof.themes",
    "LineTheme": "trapcore.proof.themes",
    "local_tree": "trapcore.trees.tree",
    "Measure": "trapcore.measures.options",
    "parse_position": "trapcore.trees.chess_game",
    "position_key": "trapcore.trees.position_key",
    "PositionError": "trapcore.errors",
    "Proof": "trapcore.proof.mate",
    "prove_mate": "trapcore.proof.mate",
    "search": "trapcore.proof.search",
    "SearchResult": "trapcore.proof.search",
    "shipped_weights": "trapcore.ranking.weights",
    "TraplineError": "trapcore.errors",
    "Tree": "trapcore.trees.tree",
    "UsageError": "trapcore.errors",
    "Verdict": "trapcore.proof.verdict",
    "Weights": "trapcore.ranking.weights",
    "win_chance": "trapcore.proof.search",
}
"""Each name of the declared interface, and the module that is imported when it is first used."""

__all__ = [*_MODULE_OF]
__getattr__ = lazy_names(__name__, _MODULE_OF)
