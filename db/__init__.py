"""Trap library: traps, games, what happened in them, and answers about all that.

===========  ============================================================================
traps/       a trap as a value, its JSON form, and its board as a picture
wording/     every sentence about traps and losing moves, in each language
storage/     tables and statements of the database
library/     an open library: opening, upgrading, reading, writing, copies
proof/       proofs of traps by the prover, our own search and a UCI engine
games/       games of the library: indexing, positions, players, occurrences of traps
similarity/  index of the killers, nearest traps, proposed killers, learned weights
patterns/    losing moves that have something in common, or are most like one
query/       queries for traps and their answers, page by page
mining/      new traps out of indexed games
formats/     traps from and to files: PGN, JSON, lichess puzzles
===========  ============================================================================

Packages import from those above them in the table only: ``traps < wording < storage < library < {proof, games,
similarity} < patterns < {query, mining, formats}``.
"""
