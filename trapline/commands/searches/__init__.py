"""The commands that take any bundled game: ``trapline search``, ``trapline play`` and ``trapline tree``.

==========  ==================================================================
choice.py   options of ``search`` and ``play``, and what a search thinks
play.py     ``play``: a game in the terminal against a search, or between two
search.py   ``search``: the best move of one position
tree.py     ``tree``: the local tree of a position as text
==========  ==================================================================
"""
