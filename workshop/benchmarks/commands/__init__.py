"""Benchmarks of whole commands and of the server.

============  =====================================================================
annotate.py   annotation, against a pipeline on python-chess and against Stockfish
cluster.py    two workers of a cluster against one
million.py    a library of a million traps, made of puzzles
mine.py       traps out of master games
pages.py      pages in a browser: times from a press to what was asked for
query.py      questions to a library of a million traps
screening.py  annotation by abstract trees
serve.py      a server over a hundred thousand traps
============  =====================================================================
"""
