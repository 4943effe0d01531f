"""Wording: the one place where sentences about traps and losing moves are made, for every part of the product.

A sentence says what happened, why, what it cost and what was better, in this order, and no more than the evidence does.

====================  ============================================================================================
evidence.py           what a sentence may rest on, as a value
stands.py             pieces that stand after each move of a line
material.py           material that a line loses or wins, counted where nobody can take it back
facts.py              facts of a line, read off the board: motifs, mate patterns, perpetual checks
effects/              what a move does besides what it takes: threats, pins, trades, pawns, squares
reasons.py            what only one of two moves does, or only the answer to one of them
moves.py              moves and lines with their numbers, their signs (??, ?, ?!), and how much of a line is shown
causes.py             why a move loses, and what its killer line does, in words
boards.py             boards in words
names.py              names of traps and families as people read them
patterns.py           names of lines that nobody has named, by what they do
phrases.py            parts of sentences
better_moves.py       sentences about moves that were better, or were missed
sentences.py          the sentences of the five events
claims.py             what is known about a trap of the library, and what a move loses, in a few words
languages/            English, German, and what a language is
template_language.py  templates of Jinja2 in the reader's language
====================  ============================================================================================
"""
