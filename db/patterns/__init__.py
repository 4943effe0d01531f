"""Patterns: losing moves that have something in common, and the losing moves most like one.

=================  =============================================================================
keys.py            the levels of a pattern, the token set of a mistake
bundled.py         losing moves that come with trapline: their file, and their rows in a library
index.py           index of the mistakes of a library by their token sets
circumstances.py   in which openings a pattern happens, and how often with little time left
like.py            the mistakes most like a position, or like a move of a game
peers.py           how often players of a rating fall into a pattern
recall.py          the earlier games in which a player fell into a pattern
recurring.py       the patterns of one player: what he loses to again and again
=================  =============================================================================
"""
