"""Pages for the time before a game: one's own repertoire, and an opponent.

=============  ====================================================================
own.py         the repertoire that a visitor has given, and whose it is
repertoire.py  ``/repertoire``: giving a repertoire, and its check
drill.py       ``/repertoire/drill``: a line against the visitor, his answers
opponent.py    ``/prepare``: the sheet about an opponent
=============  ====================================================================
"""
