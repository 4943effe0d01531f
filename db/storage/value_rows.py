"""Rows of the values of positions. A deeper value takes the place of a shallower one, in one statement."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from db.storage.bulk import BulkLookup
from db.storage.database import Database
from db.storage.row_check import RowCheck, skip
from db.storage.tables import PositionValueRow
from db.traps.position_value import PositionValue, StoredValues, Values
from trapcore import _native

LINE_PLIES = 11
"""Most plies of a stored line: a mate in six is shown to its end."""

_AT_A_TIME = 100
_ROW = PositionValueRow
_COLUMNS = (_ROW.key, _ROW.chance, _ROW.effort, _ROW.line, _ROW.by)
_CHECK = RowCheck(_COLUMNS[1:])


def store_values(connection: Connection, values: Values) -> None:
    """Store these values, but none that is shallower than what is stored of its position."""
    # SQLAlchemy has the same statement for both, in two modules.
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    rows = [
        {
            "key": _native.position_key(epd),
            "chance": value.chance,
            "effort": value.effort,
            "line": " ".join(value.line[:LINE_PLIES]),
            "by": value.by,
        }
        for epd, value in values.items()
    ]
    for start in range(0, len(rows), _AT_A_TIME):
        statement = insert(_ROW).values(rows[start : start + _AT_A_TIME])
        new = statement.excluded
        changed = {name: new[name] for name in ("chance", "effort", "line", "by")}
        connection.execute(
            statement.on_conflict_do_update(index_elements=[_ROW.key], set_=changed, where=new.effort > _ROW.effort)
        )


def values_of(database: Database) -> StoredValues:
    """Looks up values that a database has. The lookup raises `LibraryError`."""

    def stored(epds: Iterable[str]) -> dict[str, PositionValue]:
        with database.read() as connection:
            return stored_values(connection, epds)

    return stored


def stored_values(connection: Connection, epds: Iterable[str]) -> dict[str, PositionValue]:
    """The values that are stored of these positions, by EPD. Those that cannot be read are skipped."""
    by_key = {_native.position_key(epd): epd for epd in epds}
    if not by_key:
        return {}
    found = {}
    for key, *values in BulkLookup(connection, _COLUMNS, _ROW.key).find(sorted(by_key)):
        epd = by_key[bytes(key)]
        fault = _CHECK.fault(values)
        if fault is None:
            chance, effort, line, by = values
            found[epd] = PositionValue(chance, effort, tuple(line.split()), by)
        else:
            skip(connection, f"value of the position {epd}", fault)
    return found
