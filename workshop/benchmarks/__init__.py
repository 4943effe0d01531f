"""Speed as ratios to a reference in the same run: ``make bench`` or ``python -m workshop.benchmarks [NAME…]``.

Absolute times say more about the machine than about the program, so every row names its reference: python-chess with
numpy, pgn-extract, Stockfish. A reference that is not installed leaves its rows out and says so.

=============  =====================================================================
__main__.py    runs the benchmarks that are named, or all
commands/      the benchmarks of whole commands and of the server
native/        the benchmarks of the native core
comparison.py  two saved runs side by side, and which ratios changed
levels.py      the levels of the sparring partner as Elo, against Stockfish of limited strength
material.py    the games, puzzles and traps that the benchmarks run on
paired.py      two installations run in turn: ratios of their processor times
saved_runs.py  runs that are kept as files by date
set_traps.py   how good the traps of those games are: likely baits, and Stockfish's opinion
stockfish.py   where Stockfish is, and what it says of a move
trap_funnel.py where falls get lost between a reply that loses and a trap that is counted
trapping.py    traps set and fallen for in games of the bot's move choice
table.py       a row of a benchmark, and the table that shows them
=============  =====================================================================
"""
