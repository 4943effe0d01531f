"""Report on the traps of a player.

===========  ================================================
losses.py    losing moves by kind, phase, opening, clock and rating
report.py    figures: in all, by trap, by opening, by time
html.py      the report as one HTML file, from ``templates/``
patterns.py  patterns as the report and the page of the report show them
plots.py     its plots as SVG
sheet.py     a sheet of tables and boards, for the terminal and as one HTML file
===========  ================================================
"""
