"""Local search measured: depth, nodes, false claims, what its hints are worth; ``trapline research local-search``.

=============  ===============================================================================
positions.py   positions near the end of games of the Monte Carlo search
claims.py      what is found, with how many nodes, and whether a complete search says the same
blunders.py    won games that a search throws away
radius.py      chess: what a radius around the bait would save and miss
page.py        the page of all of it, with a plot
=============  ===============================================================================
"""
