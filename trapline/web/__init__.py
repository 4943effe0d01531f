"""The trap library over HTTP: pages for browsers, an interface for programs, metrics, and annotation of uploads.

==============  ===========================================================================
api/            routes for programs, ``/api/v1/...``, ``/health`` and ``/metrics``
pages/          pages for browsers: routes, templates, style sheet, pictures
server/         what is between a connection and a route: places in turn, limits, time for a head
app.py          the FastAPI application: routes, middleware, OpenAPI description
jobs.py         jobs in the background: slots, limits, cancellation, end
metrics.py      metrics for Prometheus, and the middleware that counts requests
problems.py     errors as problem details (RFC 9457)
profile.py      whose reports and practice a request may see, and the session of a signed-in visitor
report_jobs.py  a player's games read and searched in the background
service.py      state of the application: library, threads, deadlines
settings.py     the section ``[web]`` of the settings
sign_ins.py     attempts to sign in with lichess, and what lichess is asked for them
token.py        the token for writing, and the key of the sessions
upload_jobs.py  annotation of uploads in the background
==============  ===========================================================================

The command ``trapline serve`` starts it. A page and a route do not touch the library themselves: they hand a function
to `trapline.web.service.Service.run`, or to `search` what takes longer, which call it in a thread with a deadline.
"""
