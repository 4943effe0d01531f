"""The commands on collections of games.

=============  ===========================================================
explore.py     ``trapline explore``: what was played in a position
group.py       ``trapline group ...``: a coach's group of players
index.py       ``trapline index``: games into the library
mine.py        ``trapline mine``: traps that the games have
prepare.py     ``trapline prepare``: a sheet about an opponent
report.py      ``trapline report``: a player's traps as a page
=============  ===========================================================
"""
