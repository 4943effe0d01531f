"""Schema of a library file against the models: a file may be from anybody, and a trigger in it would run
with every statement.

A server checks its schema itself: a user who can change it there can change all rows too.
"""

import re
from functools import cache

from sqlalchemy import Connection, Dialect, column, inspect, select, table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from db.storage.tables import Base

_MASTER = table("sqlite_master", column("type"), column("name"), column("sql"))

_MOST_SHOWN = 3


def foreign_objects(connection: Connection) -> list[str]:
    """What no library has: triggers, views and virtual tables; empty if there are none."""
    found = [
        f"{kind} {name!r}"
        for kind, name, sql in _objects(connection)
        if kind not in ("table", "index") or re.match(r"(?i)\s*CREATE\s+VIRTUAL\b", str(sql))
    ]
    return found[:_MOST_SHOWN]


def has_own_tables(connection: Connection) -> bool:
    """Whether the table that says what a file is is that of every library; it is read before all else.

    A view in its place could have any number of rows, and a generated column any size.
    """
    if connection.dialect.name != "sqlite":
        tables = inspect(connection)
        return "meta" in tables.get_table_names() and {column["name"] for column in tables.get_columns("meta")} == {
            "key",
            "value",
        }
    there = {name: sql for kind, name, sql in _objects(connection) if kind == "table" and sql is not None}
    return "meta" in there and _parts(there["meta"]) == _made()["meta"]


def schema_differences(connection: Connection) -> list[str]:
    """How the tables and indexes differ from those of the models, one phrase each; empty if they do not."""
    if connection.dialect.name != "sqlite":
        return []
    there = {
        name: _parts(sql) for _, name, sql in _objects(connection) if sql is not None and not name.startswith("sqlite_")
    }
    wanted = _made()
    more = [f"there is a {name!r} that is not known" for name in sorted(there.keys() - wanted.keys())]
    less = [f"{name!r} is missing" for name in sorted(wanted.keys() - there.keys())]
    other = [f"{name!r} is another" for name in sorted(there.keys() & wanted.keys()) if there[name] != wanted[name]]
    return [*more, *less, *other][:_MOST_SHOWN]


def _objects(connection: Connection) -> list[tuple[str, str, str | None]]:
    if connection.dialect.name != "sqlite":
        return []
    wanted = select(_MASTER.c.type, _MASTER.c.name, _MASTER.c.sql).order_by(_MASTER.c.name)
    return [(str(kind), str(name), sql) for kind, name, sql in connection.execute(wanted)]


@cache
def _made() -> dict[str, list[tuple[str, ...]]]:
    """By name, the statement of each table and index, as `_parts` has it."""
    dialect: Dialect = sqlite.dialect()
    made = {}
    for each in Base.metadata.tables.values():
        made[each.name] = _parts(str(CreateTable(each).compile(dialect=dialect)))
        for index in each.indexes:
            made[str(index.name)] = _parts(str(CreateIndex(index).compile(dialect=dialect)))
    return made


_WORD = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\w\s]""")


def _parts(sql: str) -> list[tuple[str, ...]]:
    """A statement regardless of spaces: its words before and after the parentheses, and between them each column and
    constraint, in any order."""
    outside: list[str] = []
    inside: list[list[str]] = [[]]
    depth = 0
    for word in _WORD.findall(str(sql)):
        depth -= word == ")"
        if word == "," and depth == 1:
            inside.append([])
        elif depth > 0:
            inside[-1].append(word)
        else:
            outside.append(word)
        depth += word == "("
    return [tuple(outside), *sorted(map(tuple, inside))]
