"""The Python interface: what `import trapline` offers.

============  ======================================================================
arguments.py  boards, FENs, moves and games as a caller gives them
games.py      ``annotate`` and ``mistakes``: games of python-chess, text and files
library.py    ``open`` and ``Library``: traps found, added and compared
moves.py      ``check`` and ``propose``: which moves win and which lose
measures.py   ``similarity`` and ``tree``: local game trees
============  ======================================================================
"""
