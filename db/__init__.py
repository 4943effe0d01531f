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
explorer.py        what was played in a position, with which results, and who fell for its baits
players.py         the players of the indexed games, found by a part of a name
encounters.py      every meeting of a player with a trap, and what happened in it
sightings.py       sightings page by page: of a trap, in a game, of a player
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
shared.py          what a killer has in common with that of a known trap
proposing.py       killers proposed for a position, with the trap each is like and what the proof says
openings.py        what an opening is called (``openings.tsv``)
mining.py          traps out of games: a cascade from a glance to the trap test, resumable
mining_candidates.py  which moves people play often
mined_traps.py     a tested move of a game as a trap: line, name, family
toll.py            what a trap took from those who met it
report.py          a player's traps in figures, beside those of others of his rating
report_page.py     the same as one HTML file (``templates/``)
report_plots.py    its plots
study.py           traps as chapters of lichess studies
query.py           what a library can be asked and what it answers, as values
asking.py          a library that is asked: pages of hits
conditions.py      the conditions of a question as SQL
names.py           traps found by what they are called, typing errors forgiven
resembling.py      traps that an asked position is like, by each measure
cursor.py          where a page ended, as a sealed text
spelling.py        texts as they are compared
pictures.py        boards as SVG with arrows, and in words
boards.py          the board of a hit as SVG
upkeep.py          copies of a library, and its tidying
display.py         what the commands show
command_options.py options that the commands share
commands.py        ``trapline library`` and ``trapline index``
upkeep_commands.py  ``trapline library backup`` and ``restore``
proposing_commands.py  ``trapline library train`` and ``trapline propose``
query_commands.py  ``trapline query``
mining_commands.py  ``trapline mine``
exploring_commands.py  ``trapline explore``
report_commands.py  ``trapline report``
=================  =================================================================================
"""

from trapcore.lazy_names import lazy_names

_MODULE_OF = {
    "create_library": "db.library.open",
    "explore": "db.games.explorer",
    "Explored": "db.games.explorer",
    "Hit": "db.query.answer",
    "Library": "db.library.library",
    "make_trap": "db.traps.trap",
    "open_library": "db.library.open",
    "Page": "db.query.answer",
    "Query": "db.query.query",
    "QueryEngine": "db.query.engine",
    "Sort": "db.query.query",
    "Trap": "db.traps.trap",
    "upgrade_library": "db.library.open",
}
"""Each name of the declared interface, and the module that is imported when it is first used."""

__all__ = [*_MODULE_OF]
__getattr__ = lazy_names(__name__, _MODULE_OF)
