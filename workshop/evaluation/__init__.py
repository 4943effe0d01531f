"""Accuracy of ranking, names and confidence, on positions that the weights were not learned from.

===================  =========================================================================
run.py               one evaluation: weights, ranked moves and neighbours that its parts share
sample.py            the puzzles of an evaluation, divided by game into a library and queries
background_moves.py  background corpus: moves of real games with an engine's judgement
metrics.py           hit rates, precision, calibration error
killers.py           how often the killer is among the first moves, beside every baseline
orders.py            baseline orders of moves that need no library
neighbours.py        nearest positions by the paper's measures and by the board
patterns.py          whether the nearest traps show the pattern that a puzzle is named after
recurrence.py        whether players repeat themselves more than they repeat others
calibration.py       confidence against hits
detection.py         whether the best score shows that a player has just fallen into a trap
temptation.py        what baits look like beforehand
proof_work.py        what the order of the first moves saves a prover
ablation.py          figures without one kind of token at a time
cost.py              time of each step for a position
practice.py          judgements of answers in practice, compared with an engine
account.py           account of an evaluation: queries, findings, and what they do not show
===================  =========================================================================
"""
