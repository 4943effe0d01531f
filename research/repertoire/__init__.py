"""The model of people's moves, and the falls that it predicts, held against games that were left out.

============  ==========================================================================
decisions.py  decisions of players in games, and which games are left out of every fit
fit.py        fit of the move model's weights, with its log loss on games left out
falls.py      predicted falls against falls in games left out
============  ==========================================================================
"""
