"""The paper's measures of similarity in plain Python, with all their options: what the core computes, defined.

=================  ======================================================================================
continuations.py   which moves occur in the trees (section 2.1 of the paper)
sequences.py       which lines occur, in any order of their moves, and how often (section 2.2)
tanimoto.py        the kernel of chemistry on the same lines (section 2.2, "Relation to Kernels")
tree_edit.py       how few edits turn one tree into the other (section 2.3)
structural.py      how the children stand to their parent, under any names of the moves (section 3.1)
sampled.py         the same, estimated from some of the children (section 3.1, left open there)
move_matching.py   which moves of two positions correspond
baselines.py       move-count ratio and board similarity: what a measure must beat to be worth its time
options.py         options that only experiments choose, as types
=================  ======================================================================================

Each measure has two forms. ``of_trees`` is the definition, for the trees of any game, written to read like the paper.
``of_positions`` is the same for two chess positions given as FENs, computed by the Rust core. Tests compare the two.

One minus the similarity is a metric for continuations (Jaccard's distance), tree edit and structural by the formula,
the baselines, and for tanimoto where no line occurs twice; for sequences it is none.
"""
