"""Open trap library.

===========  ============================================================
library.py   traps by name and by key, sightings, weights, counts, digest
open.py      opening and creating a library
schema.py    making the tables of a library
backup.py    copies of a library, and the compaction of its file
families.py  families of traps and their sizes
health.py    condition of a library: references, keys, traps that hold
===========  ============================================================
"""
