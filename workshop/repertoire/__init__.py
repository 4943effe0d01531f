"""The models of people's and engines' moves, and the falls that they predict, held against games that were left out.

================  ==========================================================================
decisions.py      decisions of players in games, and which games are left out of every fit
limited_games.py  games of an engine of limited strength, to fit the weights for engines to
fit.py            fit of the move model's weights, with its log loss on games left out
foresight.py      fit of how players avoid what a search finds to give much away
falls.py          predicted falls against falls in games left out
practical.py      what moves are expected to give away against what they gave away in games left out
================  ==========================================================================
"""
