"""Benchmarks of the native core.

===================  ====================================================================
core.py              trees, PGN, indexing, perft
kernels.py           fingerprints compared with many at once
measures.py          the measures of similarity on two positions
prover.py            the mate prover, its answers checked by another program
prover_reference.py  a plain mate search on python-chess, and what refutes a proof
reference.py         an annotator on python-chess and numpy
searches.py          Monte Carlo tree search beside OpenSpiel's
tactics.py           the search on positions with known answers
token_index.py       the index of token sets
===================  ====================================================================
"""
