"""Chat.

==========  ===================================================================================
replies.py  the texts of all messages, as functions of events and questions
worker.py   threads that write messages while games run
==========  ===================================================================================
"""
