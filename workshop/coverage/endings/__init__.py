"""Endings: whether the moves marked in endings of few men cost what the marks say.

===========  ==========================================================================
sample.py    endings of games: the rest of a game from the first position of few men on
measure.py   marked moves held against an engine, by number of men and kind of material
scale.py     how much of an advantage counts in endings that are often drawn
===========  ==========================================================================
"""
