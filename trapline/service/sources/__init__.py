"""Sources of games. Each module has a function ``fetch`` that stores what is new as files and indexes it.

==============  ===================================================================================
users.py        the finished games of users
chesscom.py     the finished games of players at chess.com
accounts.py     the latest games of one account, on request
studies.py      studies that have changed
tournaments.py  arena and Swiss tournaments that are over
tv.py           games of lichess TV, fetched when they are over
broadcasts.py   broadcasts: running rounds are followed, finished ones fetched
folders.py      watched folders
dumps.py        large PGN files, also months of the lichess database
retry.py        retries, and recording the errors of one source
==============  ===================================================================================

An error of one source is recorded in the run's outcome; the other sources go on.
"""
