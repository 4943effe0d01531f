"""A sparring partner: a player of about a given rating, who may set traps. It needs neither lichess nor settings.

================  ==========================================================================
strength.py       strengths and styles by name, and the rating that a game is played with
level.py          a player of a rating: the model of people's moves with a limited search
partner.py        the move of a sparring partner, and the trap that it sets
================  ==========================================================================
"""
