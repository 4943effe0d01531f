"""Searches of the bundled games.

===============  ============================================================================
local_search.py  forced wins of games with goals, inside a shrinking region of moves
hint_pool.py     local searches for a Monte Carlo search by threads or a cluster
monte_carlo.py   Monte Carlo tree search of any game, its variants by name
===============  ============================================================================
"""
