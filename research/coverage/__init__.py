"""Coverage: how many of the moves that lose by force are told, and whether what is told is true.

===========  =====================================================================================
games.py     games as they were played, out of PGN files
labels.py    labels of the reference engine: what every move of a game lost; kept in a file
===========  =====================================================================================
"""
