"""Small games and chess as games: rules, searches, and what these measure.

=============  ===============================================================================
rules/         chess, tic-tac-toe, Connect Four, Breakthrough and small Go in plain Python
search/        Monte Carlo tree search and local search of them, in Rust
monte_carlo/   Monte Carlo searches measured: baits, strength, speed, how dynamic a game is
local_search/  local search measured: depth, nodes, false claims, its hints
=============  ===============================================================================
"""
