"""How far each source has been read, in the table ``feeds``."""

import json
from typing import Any

from sqlalchemy import delete, insert, select

from db.storage.database import Database
from db.storage.models import FeedRow

State = dict[str, Any]
"""A JSON object; what is in it is the source's own."""


class Feeds:
    """The states of all sources, by name."""

    def __init__(self, database: Database) -> None:
        """Take a database that is open for writing."""
        self._database = database

    def get(self, name: str) -> State:
        """Empty for a source that was never read."""
        with self._database.read() as connection:
            text = connection.scalar(select(FeedRow.state).where(FeedRow.name == name))
        state: State = {} if text is None else json.loads(text)
        return state

    def all(self, prefix: str) -> dict[str, State]:
        """Those whose name begins so."""
        with self._database.read() as connection:
            rows = connection.execute(
                select(FeedRow.name, FeedRow.state).where(FeedRow.name.startswith(prefix, autoescape=True))
            )
            return {row.name: json.loads(row.state) for row in rows}

    def set(self, name: str, state: State) -> None:
        """In place of what there was."""
        with self._database.write() as connection:
            connection.execute(delete(FeedRow).where(FeedRow.name == name))
            connection.execute(insert(FeedRow).values(name=name, state=json.dumps(state, separators=(",", ":"))))
