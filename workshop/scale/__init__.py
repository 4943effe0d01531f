"""What `annotate`, `index` and `mine` cost by the number of games, and a month of lichess computed from it.

============  ======================================================================
runs.py       commands run as processes of their own: processor time, memory, bytes
made_up.py    a library of made-up positions as large as wanted, and what it answers
measure.py    the measurements in their order, each stored as soon as it is there
page.py       the page: what was measured, the month, what would have to change
============  ======================================================================
"""
