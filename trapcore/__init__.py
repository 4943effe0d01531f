"""Any game's local trees, the measures on them, and chess at speed.

======================  =================================================================================
errors.py               the errors that trapline speaks to people with, and their exit codes
spelling.py             the error for a misspelt name, which names the nearest valid one
settings.py             the one table of settings: TOML file, environment, defaults, documentation
table_settings.py       what its tables share; bot_settings.py, service_settings.py and web_settings.py are these
token_file.py           a token out of a file of its own
version.py              which trapline this is
streams.py              byte streams in and out, plain or compressed
trees.py                local game trees of any game; draws one with ``python -m trapcore.trees.tree "<fen>"``
games/                  games beside chess: tic-tac-toe, Breakthrough, small Go, one a file
dynamics.py             how much a game's local trees change from ply to ply, and what that speaks for
chess_tree.py           chess as such a game, on python-chess; reads positions
measures/               how similar two trees are: the paper's measures, one a file
matching.py             which moves of two positions correspond
abstract_tree/          the abstracted local tree of a move, in words that name no square
fitting.py              learns from known traps which of these words tell a killer
proposals.py            learned weights, and the moves that they propose to try first
comparison.py           two chess positions by any measure, beside the baselines
overlap.py              what a similarity rests on: shared and differing lines, paired children
pairs.py                files with two positions a line
epd.py                  files of EPD lines
pools.py                work done by threads, or elsewhere, with its results in order
cluster.py              the same by a Dask cluster
replacing.py            files that are there as a whole or not at all
budget.py               what a question may cost: nodes, depth, time; how another thread takes it back
keys.py                 the frozen 16-byte key of a chess position
proof.py                forced mates: verdict, line, replay
baits.py                the trap test: does a move lose, was it avoidable, does it tempt
search.py               what a position is worth, and the best line
examination.py          proposed moves put to the proof
explanation.py          a trap test shown to people
commands.py             ``trapline prove`` and ``trapline research dynamics``
comparison_commands.py  ``trapline similarity`` and ``trapline match``
experiments/            the experiments of the paper repeated: ``trapline research paper``
command_options.py      options that commands of several rooms take
_native                 the Rust core: the measures, keys and proofs for chess, PGN at speed (``_native.pyi``)
native/                 its source
======================  =================================================================================

Whatever `_native` computes about one position has its plain definition here, and tests hold the two together.
"""
