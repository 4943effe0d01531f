"""Rows as they are read: SQLite keeps any type in any column, and a library may be from anybody.

A reader of many rows skips and counts a row that cannot be what it should be. A reader of one row, or a writer, gets
the error.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, String, Text
from sqlalchemy.orm import InstrumentedAttribute

from db.storage.column_types import shown
from trapcore.errors import LibraryError

_LONGEST = 100_000  # of a text that has no length of its own


class RowCheck:
    """Types, lengths and nulls of some columns, as the tables declare them."""

    def __init__(self, columns: Sequence[InstrumentedAttribute[Any]]) -> None:
        """Take the columns in the order of the values."""
        self._names = [column.key for column in columns]
        self._types: list[tuple[type, ...]] = []
        self._longest: list[int | None] = []
        for column in columns:
            kind = column.type.python_type
            # SQLite gives a whole number of a column of floats as it was written; booleans are numbers to it.
            types = {float: (float, int), bool: (bool, int)}.get(kind, (kind,))
            nullable = getattr(column.property.columns[0], "nullable", False)
            self._types.append((*types, type(None)) if nullable else types)
            is_text = isinstance(column.type, String | Text)
            self._longest.append((column.type.length or _LONGEST) if is_text else None)

    def fault(self, values: Sequence[Any]) -> str | None:
        """What is wrong with the first wrong value, beginning with the name of its field; None if nothing is."""
        for value, types, longest, name in zip(values, self._types, self._longest, self._names, strict=True):
            if type(value) not in types:
                return f"the field {name} holds {shown(value)}, which is no {_word(types[0])}"
            if longest is not None and value is not None and len(value) > longest:
                return f"the field {name} has {len(value):,} characters, more than {longest:,}"
        return None

    def whole(self, connection: Connection, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """The rows in which every value is what its column says; the others are skipped.

        The first column is the number of the trap.
        """
        for row in rows:
            fault = self.fault(row)
            if fault is None:
                yield row
            else:
                skip(connection, f"trap number {row[0]}", fault)


def skip(connection: Connection, name: str, fault: str) -> None:
    """Skip and count a row; ``name`` says what it holds, for example ``trap legals-mate``.

    Raises `LibraryError` where that is not allowed: while the library is written.
    """
    bad_rows = connection.get_execution_options().get("bad_rows")
    if bad_rows is None:
        raise LibraryError(f"the {name} in the library cannot be read: {fault}; `trapline doctor` says what to do")
    bad_rows[name] = fault


def _word(kind: type) -> str:
    return {str: "text", int: "whole number", float: "number", bytes: "sequence of bytes", bool: "truth value"}[kind]
