"""Values that describe traps; nothing here opens a database.

=================  ======================================================================
trap.py            trap: position, bait, killer line and proof, checked with python-chess
terms.py           names of sides, outcomes and events; range of ratings
opinion.py         opinion of one prover, search or engine on a trap
temptation.py      temptation of a bait: by rank, by gain, by how many played it
position_value.py  value of a position, of which the deepest counts
events.py          events of a trap in a game, by one rule
openings.py        names of openings by position, out of ``openings.tsv``
json_form.py       JSON form of dataclasses, by pydantic
answer.py          JSON form of a trap with moves in SAN
board_svg.py       boards as SVG, with arrows and a description
=================  ======================================================================
"""
