"""Candidate generation: which move of the attacker to try first.

===============  =============================================================================================
weights.py       learned weights, and the ranking of moves by them
training.py      learns the weights from known traps
verification.py  the first ranked moves checked by proof and search
reference/       features of a move and its replies, in plain Python: the definition of what the core computes
===============  =============================================================================================
"""
