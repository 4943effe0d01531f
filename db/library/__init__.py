"""Open trap library.

===========  ============================================================
library.py   traps by name and by key, sightings, weights, counts, digest
open.py      opening, creating and upgrading a library
schema.py    making the schema of a library and bringing it up to date
backup.py    copies of a library, and the compaction of its file
families.py  families of traps and their sizes
health.py    condition of a library: references, keys, traps that hold
===========  ============================================================
"""
