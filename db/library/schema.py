"""Making the tables of a library.

`db.storage.tables` says what they are. This is the first schema; the first change after a release needs a way from it
to the next, and `SCHEMA` then names the version.
"""

import secrets

from sqlalchemy import Connection, insert

from db.storage.tables import Base, MetaRow
from db.storage.trap_rows import STATE

SCHEMA = 1
"""Number of the tables that `db.storage.tables` describes; ``meta`` keeps that of a library."""

CURSOR_SECRET = "cursor_secret"
"""Key of ``meta``: by what the cursors of a library's answers are sealed."""


def make_schema(connection: Connection) -> None:
    """Make the tables and indexes in an empty database, and draw what each library has of its own."""
    Base.metadata.create_all(connection)
    drawn = [{"key": key, "value": secrets.token_hex(16)} for key in (CURSOR_SECRET, STATE)]
    connection.execute(insert(MetaRow), drawn)
