"""Comparison of texts: without accents and capitals, by their beginning."""

import unicodedata

from sqlalchemy import ColumnElement, Connection
from sqlalchemy.orm import InstrumentedAttribute

_LAST = "\U0010ffff"  # follows every letter


def plain(text: str) -> str:
    """A text without accents and capitals, by which texts are compared."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def begins(connection: Connection, column: InstrumentedAttribute[str], start: str) -> ColumnElement[bool]:
    """That a text begins so; SQLite finds it by the column's index."""
    if connection.dialect.name == "sqlite":
        return (column >= start) & (column < start + _LAST)
    return column.startswith(start, autoescape=True)
