"""The service: fetches games by itself and keeps the library up to date.

===================  ===================================================================================
settings.py          the table ``[service]`` of the settings
state/               what processes share through the library: locks, rate limit, job log, source state
games/               games at lichess and games on disk
service.py           all of these together, for one library
sources/             one module for each kind of source: users, studies, tournaments, TV, broadcasts, folders
maintenance_jobs.py  the jobs that fetch nothing: mining, proofs, annotated copies, backups, tidying
jobs.py              the table of all jobs, and one run of a job
schedule.py          when each job is due, in rows of the library that all services share
health.py            health and metrics from the log of the jobs
alerts.py            a message to an address when a job fails, and when it is well again
digest.py            the traps of the day, sent once
digest_senders.py    ways to send a text: a message at lichess, a mail, a request to an address
scheduler.py         APScheduler starts the jobs that are due, until the service is stopped
self_check.py        ``trapline service --check``
following.py         the traps in the new games of some users
===================  ===================================================================================

Running games are never read, so that nobody can be helped during a game; the exception are broadcasts, which are public
while they run. The TV source notes which games are on and fetches them when they are over.
"""
