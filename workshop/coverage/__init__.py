"""Coverage: how many of the moves that lose by force are reported, and whether the reports are true.

==============  ==============================================================================
endings/        marks in endings of few men, compared with an engine
games.py        games as they were played, out of PGN files
labels.py       labels of the reference engine: what every move of a game lost; kept in a file
told.py         findings of a run of the annotator, read from its report
judged.py       moves with both opinions, and what they are divided by
shares.py       shares with the interval that they may stand for
figures.py      recall of losing moves and agreement of claims, as a whole and by kind
glyphs.py       glyphs of an annotated PGN compared with the reference
killers.py      whether the reported killers are right
calibration.py  stated probability against the share that loses; Brier's score
frontier.py     recall against time, beside an engine alone
run.py          one measurement: games annotated in several ways, compared with the labels
page.py         its report, with the plots
evidence.py     what the core's searches see of moves, and the probability they state
fit.py          fit of the stated probability, with its calibration on games left out
score.py        prints the figures of one report, and each move missed or reported wrongly
claims.py       prints each claim of a report with what an engine says of it
==============  ==============================================================================
"""
