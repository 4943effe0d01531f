"""Public names of db.query, as type checkers see them; the names are those of ``__init__.py``."""

from db.query.answer import Hit as Hit
from db.query.answer import Match as Match
from db.query.answer import Page as Page
from db.query.engine import QueryEngine as QueryEngine
from db.query.query import Query as Query
from db.query.query import Sort as Sort
