"""Choosing moves.

======================  ===================================================================================
board.py                the board of a game from lichess's list of moves
search_pool.py          threads for searches, and how they share the processors
variants.py             variants of other rules, which only an engine can play
engines.py              the own search and UCI engines
set_traps.py            the traps that were set in one game
trap_book.py            the traps of the library: killers, and moves that set traps
repertoires.py          opening repertoires of traps, built in the background for the opponents' ratings
online.py               moves from lichess's explorer, cloud evaluations and table server
move_choice.py          the move to play: killer, opening book, tablebase, or a search that prefers to set traps
sparring.py             the move to play below full strength
draws_and_resigning.py  when a draw is offered or accepted, and when a game is resigned
time_management.py      thinking time by the clock
======================  ===================================================================================
"""
