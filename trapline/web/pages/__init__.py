"""Pages for browsers.

==============  ====================================================================
static/         style sheet, script and icon
templates/      Jinja templates
annotate.py     pages of uploads: form, progress, annotated games
boards.py       pictures of boards with their URLs, and boards as the script of the board takes them
game_viewer.py  steps of a trap's line and of an annotated game
games.py        page of a game at one of its moves
mistakes.py     page of losing moves: those like one, and those of a pattern
plots.py        plots as SVG: a bait by depth, results of games
position.py     page of a position: play to it or set it up
report.py       pages of a player's report: progress, losing moves, his games
practise/       pages of practice: exercises, groups, games against trapline
preparation/    pages of one's own repertoire, its drill, and of an opponent
rendering.py    templates and their filters
sign_in.py      signing in with lichess on a public server
site.py         routes, static files and HTML error pages in the application
start.py        start page: games, and the search of the library
traps.py        pages of the library: families, openings, a trap, what is proved
==============  ====================================================================
"""
