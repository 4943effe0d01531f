"""Proof of traps.

==================  =======================================================================
prover.py           verdict on a trap, out of the opinions of prover, search and engine
certificate.py      what a proof found, checked in place of being searched for again
engine_rule.py      verdict of a UCI engine on a bait, by win chances
engine_choice.py    which engine, if any: off, one that is found, or a command
position_values.py  values of positions: the library's, and what was asked for
reverify.py         proof of a whole library again, resumable
==================  =======================================================================
"""
