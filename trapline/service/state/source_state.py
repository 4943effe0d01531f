"""State of each source, that is how far it has been read, in the table ``feeds``."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from db.storage.column_types import stored
from db.storage.database import Database
from db.storage.tables import FeedRow

State = dict[str, Any]
"""A JSON object; its keys are the source's own."""

_AT_ONCE = 500


class SourceState:
    """States of all sources of one library, by name."""

    def __init__(self, database: Database) -> None:
        """``database`` is open for writing."""
        self._database = database

    def get(self, name: str) -> State:
        """The state of one source; empty if it was never read."""
        with self._database.read() as connection:
            text = connection.scalar(select(FeedRow.state).where(FeedRow.name == name))
        state: State = {} if text is None else stored(json.loads, text)
        return state

    def all(self, prefix: str) -> dict[str, State]:
        """The states of all sources whose name begins with ``prefix``."""
        with self._database.read() as connection:
            return read_states(connection, prefix)

    def set(self, name: str, state: State) -> None:
        """Replace the state of one source."""
        with self._database.write() as connection:
            write_state(connection, name, state)

    def remove(self, names: Sequence[str]) -> None:
        """Forget the states of sources; a name without one is ignored."""
        with self._database.write() as connection:
            # A statement has a limited number of values, and a month may have tens of thousands of files.
            for start in range(0, len(names), _AT_ONCE):
                connection.execute(delete(FeedRow).where(FeedRow.name.in_(names[start : start + _AT_ONCE])))


def read_states(connection: Connection, prefix: str) -> dict[str, State]:
    """States by name within a transaction, of the names that begin with ``prefix``."""
    rows = connection.execute(
        select(FeedRow.name, FeedRow.state).where(FeedRow.name.startswith(prefix, autoescape=True))
    )
    return {row.name: stored(json.loads, row.state) for row in rows}


def write_state(connection: Connection, name: str, state: Mapping[str, Any]) -> None:
    """Replace one state within a transaction."""
    connection.execute(delete(FeedRow).where(FeedRow.name == name))
    connection.execute(insert(FeedRow).values(name=name, state=json.dumps(state, separators=(",", ":"))))
