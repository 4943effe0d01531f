"""Report on the traps of a player.

============  ================================================
losses.py     losing moves by reason, phase, opening, clock and rating
reasons.py    why a move lost, in a player's words
summary.py    what costs most, beside whom, where and when
sentences.py  the summary in words: how each report begins
report.py     figures: in all, by trap, by opening, by time
html.py       the report as one HTML file, from ``templates/``
patterns.py   patterns as the report and the page of the report show them
plots.py      its plots as SVG
sheet.py      a sheet of tables and boards, for the terminal and as one HTML file
============  ================================================
"""
