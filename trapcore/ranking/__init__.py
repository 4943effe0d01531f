"""Candidate generation: which move of the attacker to try first.

===============  =============================================================================================
weights.py       learned weights, and the ranking of moves by them
training.py      learns the weights from known traps
verification.py  the first ranked moves checked by proof and search
token_fields.py  facts packed into one number, and unpacked again
token_words.py   each token in English
===============  =============================================================================================
"""
