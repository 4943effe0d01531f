"""Client for lichess, shared by the bot, the service and the pages.

==============  ===================================================================================
api.py          events, requests and errors, independent of the HTTP library
rate_limits.py  back-off, pauses after a 429, and the limit on stream openings
token.py        the account's token, from the environment or a file
token_check.py  whether lichess really refuses the token, tested over minutes
http.py         HTTP session with time-outs, and translation of HTTP errors
parse.py        lichess's JSON as events
streams.py      threads that read a stream and reopen it
oauth.py        signing in with lichess: OAuth with PKCE
studies.py      studies: read, and their chapters written once
client.py       the requests and streams of a bot account, by berserk
self_check.py   findings of a self-check, which bot and service share
==============  ===================================================================================
"""
