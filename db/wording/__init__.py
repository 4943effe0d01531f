"""Wording: the one place where sentences about traps and losing moves are made, for every part of the product.

A sentence says what happened, why, what it cost and what was better, in this order, and no more than the evidence does.
A new language is a module like ``english.py`` and a line in ``languages.py``.

===============  =============================================================================================
evidence.py      what a sentence may rest on, as a value
facts.py         facts of a line, read off the board: material lost, mate patterns
moves.py         moves and lines with their numbers
grammar.py       a language as a value: its templates and words
english.py       English
german.py        German
languages.py     the languages that there are
names.py         names of traps and families as people read them
patterns.py      names of lines that nobody has named, by what they do
sentences.py     the sentences of the five events
claims.py        what is known about a trap of the library, in a few words
===============  =============================================================================================
"""
