"""How similar two positions are, by their local trees; 1.0 for equal trees, 0.0 for trees with nothing in common.

=================  ======================================================================================
continuations.py   which moves occur in the trees (section 2.1 of the paper)
sequences.py       which lines occur, in any order of their moves, and how often (section 2.2)
tanimoto.py        the kernel of chemistry on the same lines (section 2.2, "Relation to Kernels")
tree_edit.py       how few edits turn one tree into the other (section 2.3)
terminal.py        how near the rewards are where the game is over (section 2.4)
structural.py      how the children stand to their parent, under any names of the moves (section 3.1)
sampled.py         the same, estimated from some of the children (section 3.1, left open there)
baselines.py       move-count ratio and board similarity: what a measure must beat to be worth its time
options.py         the options of the measures for chess, as types
comparison.py      two chess positions by any measure, beside the baselines
overlap.py         what a similarity rests on: shared and differing lines, paired children
move_matching.py   which moves of two positions correspond
=================  ======================================================================================

Each measure has two forms. ``of_trees`` is the definition: plain Python, for the trees of any game, written to read
like the paper. ``of_positions`` is the same for two chess positions given as FENs, computed by the Rust core. The
exceptions are terminal, which has nothing to compute, and the unordered tree-edit distance. Tests compare the two.

One minus the similarity is a metric for continuations (Jaccard's distance), tree edit, terminal and structural by the
formula, the baselines, and for tanimoto where no line occurs twice; for sequences it is none.

A new measure is a new file here with both forms, a line in this table, a member of ``options.Measure``, a case in
``comparison.py`` and one in ``tests/trapcore/test_native.py``.
"""
