"""Games in, findings out: the annotator reads PGN, and writes the same PGN with traps named, and a report.

Nothing of the input is ever lost or changed: text is only added, and a game without findings passes byte for byte.

=================  =================================================================================
settings.py        settings of how games are analysed, shared by all ways of use
request.py         options of a run as one value
known_traps.py     the traps of a library, with the index that finds similar ones
pipeline.py        the run: inputs, detection, comments, outputs, resuming
stream.py          one input annotated as it is read, without files
worker.py          one input analyzed in batches on several threads, in order
annotation.py      one batch: its findings, its new bytes, its lines of the report
events.py          one event in a game, as a value
slips.py           a move that costs something and is not proved to lose
mates.py           mates that a played move allows, proved
selection.py       which events are reported: side, player, and what nothing hangs on
record.py          losing moves of indexed games, stored in the library
engine_check.py    the UCI engine that looks at every position first, and decides which moves lost
comments/          what is written into a PGN, and where
files/             inputs, outputs, the report, and the journal of a run
counts.py          counts of games, positions and findings
=================  =================================================================================
"""
