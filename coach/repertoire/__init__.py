"""Trap repertoires: the moves with the best expected score against people of a rating.

================  ==========================================================================
played.py         what was played in a position of the indexed games, by those of a rating too
replies.py        how likely each reply is: games of the rating, of all, and the move model
people.py         what people play in a position, what it costs, and the practical score
expectation.py    own moves within the allowed cost, and what each is worth against people
tree.py           the repertoire as a value: moves, replies, traps
known_lines.py    the ways to the proved traps of the library
build.py          the tree of moves, grown where games are likeliest to go
export.py         a repertoire as PGN, as a polyglot book and as chapters of a study
stored.py         a repertoire as a file that a program plays from
folder.py         the repertoires that a program plays from, and how one is built
live_traps.py     moves of a running game that set a trap, found by searching
trap_choice.py    the move to play: the best one, or one that sets a trap
================  ==========================================================================
"""
