"""The trap library: filled, stored, found, served.

=================  =================================================================================
trap.py            a trap as a value: position, bait, killer line, proof; checked with python-chess
opinion.py         what one prover, search or engine says of a trap
temptation.py      how a bait tempts: at first sight, by depth, by how many took it
models.py          the tables
trap_rows.py       a trap as rows of the tables
migrations/        how the tables came to be, for Alembic
database.py        one open database: reading, writing, and its errors as sentences
store.py           opening, making and upgrading a library
library.py         the library: traps by name and by key, sightings, counts, digest
sighting.py        a trap seen in a game, and how indexed games give sightings
frequency.py       how often the baits were played in the indexed games
proving.py         whether a trap is one: prover, search and engine, and which of them decides
verifying.py       a whole library proved again, resumable
engine.py          the UCI engine, restarted once, with a time-out
bundled.py         the traps that come with the program, and famous lines that are none (``traps.toml``)
importing.py       traps from PGN and from lichess puzzles; what was read, what was bad
pgn_import.py      a PGN game as a trap
pgn_export.py      a trap as a PGN game
exporting.py       traps to a file, as PGN or JSON
puzzles.py         a row of the lichess puzzle file as a trap
ingest.py          games into the library, resumable
bulk.py            many rows at a time, on the driver itself
fitting.py         weights learned from the library's own traps; which weights are in use
likeness.py        the known traps that a killer is like, by an index beside the library
proposing.py       killers proposed for a position, with the trap each is like and what the proof says
display.py         what the commands show
command_options.py options that the commands share
commands.py        ``trapline library`` and ``trapline index``
proposing_commands.py  ``trapline library fit`` and ``trapline propose``
=================  =================================================================================
"""
