"""Proofs and search: forced mates, values of positions, the trap test.

============  =======================================================
verdict.py    verdicts, and values by depth
mate.py       forced mates: verdict, line, replay
search.py     value and best line of a position by alpha-beta search
trap_test.py  does a move lose, was it avoidable, does it tempt
wording.py    a trap test as text: sentence, board, plot of the ranks
============  =======================================================
"""
