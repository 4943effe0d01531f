"""Comments on traps, and how they get into a PGN.

=================  =================================================================================
commentary.py      every comment, NAG and variation that is written
sentences.py       what is said of an event
glyphs.py          the NAG of a move, by what it costs
threats.py         whether a bait tempts, and which set is only a threat
notation.py        moves and lines with their numbers
pgn_insert.py      where they go between the bytes of a game
encoding.py        text in the encoding that the game has
=================  =================================================================================
"""
