"""Files of a run: its inputs, its output, its report, and how far it came.

=================  =================================================================================
plan.py            which inputs go to which output, refused before anything is written
output.py          files that appear whole or not at all
work.py            where the parts and the journal of a run lie
report.py          findings as JSON lines
progress.py        progress bar and summary
journal.py         how far an interrupted run came
=================  =================================================================================
"""
