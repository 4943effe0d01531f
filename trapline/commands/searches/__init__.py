"""The commands ``trapline search`` and ``trapline play``: Monte Carlo tree search of any bundled game.

==========  ==================================================================
choice.py   options that both have, and what a search thinks, as text and JSON
play.py     ``play``: a game in the terminal against a search, or between two
search.py   ``search``: the best move of one position
==========  ==================================================================
"""
