"""Routes for programs.

================  ====================================================================
edit.py           add and remove traps, with the token
json_response.py  JSON responses with entity tags and links to the next page
library.py        read the library: traps, traps ahead, sightings, families, explorer, proposals
models.py         JSON bodies that only the web server has
monitoring.py     ``/health`` and ``/metrics``
params.py         query parameters of the routes, with their ranges
uploads.py        annotate uploaded games, as a stream or as a job
================  ====================================================================
"""
