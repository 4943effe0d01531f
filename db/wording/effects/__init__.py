"""Effects: what a move does on the board, as facts that a sentence may state.

==========  ======================================================================
played.py   a move of a line with what it does, as values
attacks.py  attacks, pins, offers and guards
guards.py   what the better move guards, and what falls without that
captures.py what was left, what is taken though it is guarded, what can simply be taken
places.py   pawns, files, squares, castling
finding.py  all that a move does: also what it takes, threatens, trades, promotes
replies.py  how the better move meets the same answer
threats.py  what a move threatens to do next, by a search
later.py    what a line does later than at once, or besides what it takes
==========  ======================================================================
"""
