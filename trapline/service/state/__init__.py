"""What the processes of one library share: clock, locks, rate limit, job log, source state.

===============  ===================================================================================
clock.py         the clock, and the flag by which work is stopped
locks.py         locks between processes, in the table ``leases``; one request to lichess at a time
job_log.py       the log of the jobs, in the table ``job_runs``
source_state.py  how far each source has been read, in the table ``feeds``
===============  ===================================================================================
"""
