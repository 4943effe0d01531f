"""How similar two positions are, by their local trees; 1.0 is alike and 0.0 has nothing in common.

=================  ======================================================================================
continuations.py   which moves occur in the trees (section 2.1 of the paper)
sequences.py       which lines occur, in any order of their moves, and how often (section 2.2)
structural.py      how the children stand to their parent, whatever the moves are called (section 3.1)
baselines.py       move-count ratio and board similarity: what a measure must beat to be worth its time
options.py         the options of the measures for chess, as types
=================  ======================================================================================

Each measure has two forms. ``of_trees`` is the definition: plain Python, for the trees of any game, written to read
like the paper. ``of_positions`` is the same for two chess positions given as FENs, computed by the Rust core. Tests
hold the two together.

A new measure is a new file here with both forms, a line in this table, a member of ``options.Measure`` and a case in
``tests/test_trapcore_native.py``.
"""
