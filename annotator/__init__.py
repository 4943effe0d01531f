"""Games in, findings out: the annotator reads PGN, and writes the same PGN with traps named, and a report.

Nothing of the input is ever lost or changed: text is only added, and a game without findings passes byte for byte.

=================  =================================================================================
commands.py        ``trapline annotate``
plan.py            which inputs go to which output, refused before anything is written
request.py         what a run is asked for
pipeline.py        the run: inputs, Judge, words, outputs, resuming
streaming.py       one input annotated as it is read, without files
judging.py         one input through the Judge on several threads, in order
annotation.py      one batch: its findings, its new bytes, its lines of the report
events.py          one event of one trap in a game, as a value
selection.py       which events are told: side, player
arbiter.py         the UCI engine that decides what the prover leaves open
commentary.py      the words: every comment, NAG and variation that is written
placement.py       where they go between the bytes of a game
encoding.py        in the encoding that the game has
report.py          findings as JSON lines
output.py          files that appear whole or not at all
journal.py         how far an interrupted run came
tally.py           what was counted
progress.py        what the user sees of it
=================  =================================================================================
"""
