"""Queries for traps and for losing moves.

===========  =================================================
query.py     conditions of a query
answer.py    hits and pages, and their JSON form
engine.py    answers to queries, page by page
where.py     conditions as SQL
cursor.py    cursors: sealed texts that say where a page ended
castling.py  the same position with other castling rights
mistakes.py  losing moves by likeness and by pattern
===========  =================================================

``query.py`` loads neither the database nor a prover.
"""

from trapcore.lazy_names import lazy_names

_MODULE_OF = {
    "Hit": "db.query.answer",
    "Match": "db.query.answer",
    "Page": "db.query.answer",
    "Query": "db.query.query",
    "QueryEngine": "db.query.engine",
    "Sort": "db.query.query",
}
"""Each public name, and the module that is imported when it is first used."""

__all__ = [*_MODULE_OF]
__getattr__ = lazy_names(__name__, _MODULE_OF)
