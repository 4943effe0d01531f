"""What stands between a connection and a route. Slow and silent connections are the matter of a proxy in front.

===============  ===========================================================================
fair_queue.py    what many requests wait for: places that addresses get in turn
http_server.py   the server beneath: uvicorn's settings, answers to HEAD
limits.py        middleware: rate limit, size of bodies, host, origin, security headers
===============  ===========================================================================
"""
