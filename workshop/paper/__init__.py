"""The experiments of the paper, repeated: ``trapline research paper``. Ours stands beside what is printed there.

=================  ======================================================================================
registry.py        the experiments by name
figure_1.py        Figure 1: the measures on two small trees
table_1.py         Table 1: structural similarity of tic-tac-toe branches
table_2.py         Table 2: which measure finds the trap again, two plies on
recall.py          the 85 % of section 4, with its false positives
table_3.py         Table 3: move matching, beside the most frequent checks
example_1.py       Example 1: how the measures grow with the number of moves
cost.py            what a comparison costs, by the Rust core and by the plain definition
sampling.py        how wrong the structural similarity is if only some children are compared
paper.py           what the paper prints, and the positions it prints it of
benchmark.py       the four traps' positions two plies on, which of them are traps, and their similarities
retrieval.py       false negatives and positives, ROC curves, average precision
=================  ======================================================================================

Source: Evans & Turrini, "Improving Strategic Decisions in Sequential Games by Exploiting Positional Similarity", Games
2023, 14(3), 36; the formulas and the diagrams of the traps are in the preprint, arXiv 1902.09335.

A new experiment is a new file here with a function from a `benchmark.Run` to a `report.Report`, a line in this table
and one in `registry.EXPERIMENTS`. Nothing that it says about its outcome may be written down beforehand: sentences
with numbers are made of the numbers.
"""
