"""Files, streams and logs.

==================  =============================================================
streams.py          byte streams in and out, plain or compressed
decompress.py       decompression in bounded memory, with limits; the files in a zip archive
text_encoding.py    UTF-16, decoded when it is read and encoded when it is written
atomic_write.py     files that are replaced as a whole or not at all
work_folder.py      folders that are locked, in which outputs are written
output_check.py     outputs that would destroy an input or a database are refused
plain_text.py       text that no terminal obeys
bounded_numbers.py  numbers that other people wrote, read within bounds
regular_file.py     files that settings name, and that must be regular ones
file_state.py       changes of an input while it is read
game_batches.py     batches of the games of a PGN file
position_pairs.py   files with two positions a line
epd.py              files of EPD lines
token_file.py       a secret token from the environment or from a file of its own
logs.py             log to standard error or to a file, plain or as JSON lines
log_once.py         log messages that are written only the first time
status_server.py    health and metrics of a running program, on the loopback interface
==================  =============================================================
"""
