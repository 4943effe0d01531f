"""Challenges.

==============  ===================================================================================
acceptance.py   whether a challenge is accepted
arenas.py       arena tournaments that admit bots
block_lists.py  blocked accounts from files and addresses
queue.py        waiting challenges, from their arrival to the game or the refusal
matchmaking.py  challenging other bots when no game is running
==============  ===================================================================================
"""
