"""Experiments: what was measured or fitted once, by commands that anyone can run again.

===================  ======================================================================
accuracy.py          writes the page of accuracy figures from two evaluations
agreement.py         compares the trap test with Stockfish on an open list of opening traps
background_moves.py  draws the background corpus from real games
bundled_patterns.py  plays games and makes the losing moves that come with trapline
claims.py            checks the claims of ``trapline annotate`` with Stockfish
decoys.py            makes the decoys of practice that come with trapline
endgames.py          makes the tables of endgames that come with trapline
evaluation.py        fits the weights of the search's evaluation
game_accuracy.py     compares the accuracies of games with those of lichess's evaluations
every_move.py        compares the moves that `--tell all` marks with lichess's evaluations
openings.py          writes the table of opening names
random_baits.py      checks the proved baits of random positions with Stockfish
repeated_moves.py    counts with Stockfish how many moves that came back in indexed games lose
shipped_weights.py   learns the weights that come with trapline
===================  ======================================================================
"""
