"""Practice: exercises from a player's games and from the library, judged by the search, repeated until they are known.

===============  ======================================================================
exercise.py      an exercise as a value: the position, what is asked, what is known
collect.py       exercises of a player: his losing moves, his missed killers, the traps
decoys.py        positions where the killer of a pattern fails, and the file of them
mixing.py        which decoys come, and where between the other exercises
judge.py         right or wrong: an answer put to the trap test
tested.py        tests of the moves that exercises are about, made once and kept in the library
schedule.py      when a card comes again, and how it stands; repertoires have the same
session.py       practising: the next exercise, an answer
wording.py       what is asked, hinted and answered, in words
progress.py      answers to exercises; weak themes against others of the same rating; games since practice
export.py        exercises as PGN, as chapters of a study, and as cards for Anki
===============  ======================================================================
"""
