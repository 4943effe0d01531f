"""Chat.

=============  ===================================================================================
replies.py     the texts of all messages, as functions of events and questions
afterwards.py  questions after the end of a game
memory.py      what an opponent fell for in earlier games
training.py    challenges to positions of traps, on request
worker.py      threads that write messages while games run, and after them
=============  ===================================================================================
"""
