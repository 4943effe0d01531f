"""Chat.

===============  ===================================================================================
replies.py       the texts of all messages, as functions of events and questions
missed_lines.py  questions after the end of a game, and those of a time without its stream
memory.py        what an opponent fell for in earlier games
training.py      challenges to positions of traps, on request
worker.py        threads that write messages while games run, and after them
===============  ===================================================================================
"""
