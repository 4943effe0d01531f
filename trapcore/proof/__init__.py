"""Proofs and search: forced mates, values of positions, the trap test, themes of a proved line.

=================  =====================================================================
verdict.py         verdicts, and values by depth
mate.py            forced mates: verdict, line, replay
mate_tree.py       whole tree of a forced mate: made once, replayed without a search
search.py          value and best line of a position by alpha-beta search
syzygy.py          the user's Syzygy tables
trap_test.py       does a move lose, was it avoidable, does it tempt
themes.py          what a line does to the victim: fork, pin, back-rank mate, …
causes.py          why a losing move loses, and what its killer line does
wording.py         a trap test as text: sentence, board, plot of the ranks
=================  =====================================================================
"""
