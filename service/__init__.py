"""The service: games come in by themselves, and the library grows by itself.

===============  ===================================================================================
archive.py       what lichess keeps and gives away: finished games, TV, studies, tournaments, broadcasts
turns.py         one request to lichess at a time, over all processes of a library
sources/         what games come from: users, studies, tournaments, TV, broadcasts, folders and dumps
live.py          running rounds of broadcasts, followed
depot.py         what was fetched, as PGN files, and what of them is in the library
feeds.py         how far each source has been read
leases.py        what one process at a time may do
runs.py          the log of the jobs
times.py         the clock, and being told to stop
service.py       all of these together, for one library
upkeep.py        the jobs that fetch nothing: mining, proofs, annotated copies, backups, tidying
jobs.py          every job by its name, and a run of one
scheduling.py    when they run
following.py     the traps in the new games of some users
commands.py      ``trapline service``, ``trapline jobs`` and ``trapline follow``
===============  ===================================================================================

Only finished games are read, and broadcasts, which are public while they run. Running games of others are never looked
at: lichess shows them late so that nobody is helped during a game, and there is nothing in them that could not be had a
little later. So there is no source for lichess TV and none for streams of games: both tell of games that are not over.
"""
