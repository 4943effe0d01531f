"""Comments on traps, and how they get into a PGN.

=================  =================================================================================
commentary.py      every comment, NAG and variation that is written
pgn_insert.py      where they go between the bytes of a game
encoding.py        text in the encoding that the game has
=================  =================================================================================
"""
