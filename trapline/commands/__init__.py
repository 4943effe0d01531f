"""The command line, a file for each command or group of commands.

=============  =======================================================================
games/         ``index``, ``mine``, ``explore``, ``report``, ``prepare``, ``group ...``: collections of games
library/       ``library ...``: fill, show and check the library
repertoire/    ``repertoire ...``: check a player's openings, or build some with traps
annotate.py    ``annotate``: traps of games as comments in PGN
bot/           ``bot``: play on lichess, and speak to the bot that plays
doctor.py      ``doctor``: whether all is in order; ``settings``: a settings file to begin with
options.py     options that several commands have
practise.py    ``practise``: exercises from a player's games and the library
propose.py     ``propose``: killers for a position
prove.py       ``prove``: forced mates and baits of a position
query.py       ``query``: find traps
resources.py   what several commands open: the library, the workers, the prover
serve.py       ``serve``: the library over HTTP
service.py     ``service ...``, ``jobs ...``, ``follow``: games fetched by schedule
similarity.py  ``similarity`` and ``match``: two positions compared
terminal.py    output: tables, JSON and messages
tree.py        ``tree``: the local tree of a position drawn
=============  =======================================================================

A command imports what it needs when it runs, so that ``trapline --help`` needs nothing but typer.
"""
