"""Declared interface of db, as type checkers see it; the names are those of ``__init__.py``."""

from db.games.explorer import Explored as Explored
from db.games.explorer import explore as explore
from db.library.library import Library as Library
from db.library.open import create_library as create_library
from db.library.open import open_library as open_library
from db.query.answer import Hit as Hit
from db.query.answer import Page as Page
from db.query.engine import QueryEngine as QueryEngine
from db.query.mistakes import MistakePage as MistakePage
from db.query.mistakes import MistakeQuery as MistakeQuery
from db.query.mistakes import find_mistakes as find_mistakes
from db.query.query import Query as Query
from db.query.query import Sort as Sort
from db.traps.trap import Trap as Trap
from db.traps.trap import make_trap as make_trap
