"""The trap library in a browser and for programs: pages, an HTTP interface, metrics, and uploads that are annotated.

=================  =================================================================================
commands.py        ``trapline serve``
app.py             the application: its parts put together, its life from start to stop
service.py         what is served: the open library, and the threads that work on it
api.py             the interface for programs, ``/api/v1/...``: what is read
writing.py         adding and removing traps, with the token
uploads.py         games are uploaded, and come back annotated
annotations.py     each upload: a thread at work, a file that grows, and whoever waits for it
monitoring.py      ``/health`` and ``/metrics``
asked.py           parameters of questions, with their ranges
models.py          the shapes of answers
answers.py         answers that a client may keep: tags, links to the next page
problems.py        errors as problems (RFC 9457)
limits.py          how often, how much and from where may be asked; headers of every answer
metrics.py         the figures
token.py           the token for writing
site.py            the pages in the application, errors as pages
pages.py           search, the library, one trap, what is proved
position_pages.py  a position: played to or set up, with its traps
annotate_pages.py  games uploaded and looked at one by one
rendering.py       templates, and how they say values
searching.py       the search form as a question
lines.py           a line of moves as steps of a viewer
game_view.py       an annotated game as steps of a viewer
boards.py          boards as pictures
plots.py           how a bait looks by depth, who won
kept.py            answers that are kept while the library stays as it is
=================  =================================================================================
"""
