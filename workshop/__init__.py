"""The paper's experiments, figures of accuracy, and benchmarks.

===============  ====================================================================================
report.py        report of an experiment: text, tables, plots; as Markdown
figures.py       figures in the README and the guides, from one file that it writes
write_report.py  an experiment's report, with its plots, written into a folder
paper/           the experiments of the paper, repeated
evaluation/      accuracy of ranking, names and detection on positions that were not learned from
coverage/        how many of the moves that lose by force are reported, compared with an engine's labels
repertoire/      the model of people's moves, fitted and compared with games left out
themes/          themes of lines held against lichess's tags of its puzzles
scale/           what annotate, index and mine cost by the number of games, and a month of lichess
games/           other games: their rules, Monte Carlo and local searches, and what these measure
network/         training of the search's network on an engine's values
commands/        ``trapline research ...``
reference/       abstracted local trees and the measures in plain Python: the definitions of what the core computes
experiments/     what was measured or fitted once, by commands that anyone can run again
benchmarks/      speed as ratios to a reference in the same run
native/          what of all this is Rust: the trainer, tables of endgames, baselines
===============  ====================================================================================
"""
