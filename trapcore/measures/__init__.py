"""How similar two chess positions are, by their local trees; 1.0 for equal trees, 0.0 for trees with nothing in common.

=================  ======================================================================================
options.py         the measures as types
comparison.py      two positions compared by any measure, beside the baselines
overlap.py         what a similarity rests on: shared and differing lines, paired children
move_matching.py   which moves of two positions correspond
=================  ======================================================================================

The core computes the measures of the paper in ``native/src/measures``. The similarity ``abstracted`` compares killers:
``native/src/abstract_tree`` makes their tokens, ``native/src/token_index`` has the index and the similarity.
``workshop.reference.measures`` defines each in plain Python, for the trees of any game, and with the options that
experiments need. A similarity is shown beside baselines, which cost next to nothing: the ratio of the numbers of moves,
and the share of squares that are equal.
"""
