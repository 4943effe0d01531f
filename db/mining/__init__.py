"""New traps out of indexed games.

=============  ======================================================================
candidates.py  moves that were played often, out of the games
mine.py        staged filter of these moves, and storage of what is proved; resumable
to_trap.py     a tested move as a trap: line, name, family
=============  ======================================================================
"""
