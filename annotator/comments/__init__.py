"""Comments on traps, and how they get into a PGN.

=================  =================================================================================
commentary.py      every comment, NAG and variation that is written
telling.py         which events are reported, and nothing twice
evidence.py        what may be said of an event
chapters.py        chapters of a study: a game, and a lesson out of each trap that was fallen for
style.py           how much is reported, and in which language
glyphs.py          the NAG of a move, by what it costs
threats.py         whether a bait tempts, and which set is only a threat
evaluations.py     ``[%eval]``
own_comments.py    finds and removes what an earlier run wrote, by its mark
closing.py         the comment at the end of a game
game_end.py        where the closing comment goes
pgn_insert.py      where they go between the bytes of a game
encoding.py        text in the encoding that the game has
=================  =================================================================================
"""
