"""Local trees: all lines of a position to a depth, each move named by a label.

===============  =======================================================
tree.py          trees of any game, and the protocol that a game follows
drawing.py       trees as text
chess_game.py    chess as such a game, on python-chess; FEN parsing
position_key.py  the frozen 16-byte key of a chess position
===============  =======================================================
"""
