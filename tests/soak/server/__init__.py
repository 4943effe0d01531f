"""Minutes of a real server under readers, writers, uploads, hostile requests, kills and a full disk.

============= ========================================================================
command.py    its command line, and the run from an empty folder to the report
process.py    the real server in a process of its own: started, killed, its disk filled
requests.py   one client's requests, and which of them something was done to
readers.py    the addresses that are read, and the times of their answers
writers.py    what is written, and what of it was acknowledged
hostile.py    requests that nobody means well
checks.py     what was found, compared with what is promised
============= ========================================================================
"""
