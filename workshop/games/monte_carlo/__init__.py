"""Monte Carlo tree search measured: the baits that it takes, its strength, its speed; ``trapline research mcts``.

=================  ================================================================================
baits.py           how often a search chooses the bait of a puzzle, by its playouts and at equal time
matches.py         games of one search against another, with the difference in Elo
tree_dynamics.py   how much a game's local trees change from ply to ply
dynamics.py        what sharing values gains, beside how dynamic the game is
speed.py           playouts a second of each variant
page.py            the page of all of it
=================  ================================================================================
"""
