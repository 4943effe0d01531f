"""Challenges.

==============  ===================================================================================
rules.py        whether a challenge is accepted
queue.py        waiting challenges, from their arrival to the game or the refusal
matchmaking.py  challenging other bots when no game is running
==============  ===================================================================================
"""
