"""Bulk insert and look-up on the driver itself: three times as fast as SQLAlchemy's own insert of many rows.

SQLAlchemy writes the statement for the database at hand once; the rows then go to the driver as they are. So only plain
types can be used: integers, text, bytes and None.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Compiled, Connection, FromClause, Table, bindparam, insert, select
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute
from sqlalchemy.sql.compiler import SQLCompiler

Value = int | float | str | bytes | None

_Key = TypeVar("_Key", int, str, bytes)

_PLACES = (1, 20, 100, 500)
"""Parameters of a look-up for one value, for a page or some, and for many; SQLite allows 999 in old versions, and more
gains nothing."""


def parts(values: Iterable[_Key]) -> Iterator[list[_Key]]:
    """The values in ascending order, as many at a time as a statement takes."""
    ordered = sorted(values)
    for start in range(0, len(ordered), _PLACES[-1]):
        yield ordered[start : start + _PLACES[-1]]


class BulkInsert:
    """Inserts rows into some columns of a table."""

    def __init__(self, connection: Connection, row: type[DeclarativeBase], columns: Sequence[str]) -> None:
        """Prepare the statement; ``columns`` is the order of the values in each row."""
        assert isinstance(row.__table__, Table)
        self._connection = connection
        self._table = row.__tablename__
        self._statement = _Statement(insert(row.__table__).compile(dialect=connection.dialect, column_keys=columns))
        if sorted(self._statement.names) != sorted(columns):
            raise ValueError(f"{row.__tablename__} has no columns {columns}")
        # The statement names the columns in the order of the table.
        self._order = [columns.index(name) for name in self._statement.names]
        self._in_order = self._order == list(range(len(columns)))

    def insert(self, rows: Sequence[tuple[Value, ...]]) -> None:
        """Insert all rows."""
        if not rows:
            return
        ordered = rows if self._in_order else [tuple(row[at] for at in self._order) for row in rows]
        if self._connection.dialect.driver == "psycopg":
            self._copy(ordered)
            return
        self._connection.exec_driver_sql(self._statement.sql, [self._statement.parameters(row) for row in ordered])

    def _copy(self, rows: Sequence[tuple[Value, ...]]) -> None:
        """PostgreSQL's own way for many rows, which is as quick as a file is with the other."""
        quote = self._connection.dialect.identifier_preparer.quote
        names = ", ".join(map(quote, self._statement.names))
        driver = self._connection.connection.driver_connection
        assert driver is not None
        with driver.cursor() as cursor, cursor.copy(f"COPY {quote(self._table)} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


class BulkLookup:
    """Finds rows of a table by many values of one column."""

    def __init__(
        self,
        connection: Connection,
        wanted: Sequence[InstrumentedAttribute[Any]],
        by: InstrumentedAttribute[Any],
        tables: FromClause | None = None,
    ) -> None:
        """Take what to ask for; ``tables`` is the join that has it if that is more than one table."""
        self._connection = connection
        self._wanted = wanted
        self._by = by
        self._tables = tables

    def find(self, values: Sequence[Value]) -> Iterator[tuple[Any, ...]]:
        """The wanted columns of each row whose column has one of the values; sorted values are found quicker."""
        at_a_time = next((places for places in _PLACES if len(values) <= places), _PLACES[-1])
        for start in range(0, len(values), at_a_time):
            statement = self._statement(at_a_time)
            part = tuple(values[start : start + at_a_time])
            part += part[-1:] * (at_a_time - len(part))  # filling up with a value that is asked for anyway
            cursor = self._connection.exec_driver_sql(statement.sql, statement.parameters(part))
            yield from map(tuple, cursor.all())  # one by one takes three times as long

    def _statement(self, places: int) -> "_Statement":
        dialect = self._connection.dialect
        name: tuple[str | int, ...] = (dialect.name, dialect.driver, *map(str, self._wanted), str(self._by), places)
        if name not in _LOOKUPS:
            parameters_of_lookup = [bindparam(f"v{number}", type_=self._by.type) for number in range(places)]
            wanted = select(*self._wanted).where(self._by.in_(parameters_of_lookup))
            if self._tables is not None:
                wanted = wanted.select_from(self._tables)
            _LOOKUPS[name] = _Statement(wanted.compile(dialect=dialect))
        return _LOOKUPS[name]


class _Statement:
    """A statement as the driver wants it, and its parameters likewise: in order, or by name."""

    def __init__(self, compiled: Compiled) -> None:
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        self._by_name = not compiled.positional
        self.names: list[str] = list(compiled.params) if self._by_name else list(compiled.positiontup or ())

    def parameters(self, values: tuple[Value, ...]) -> Any:
        return dict(zip(self.names, values, strict=True)) if self._by_name else values


_LOOKUPS: dict[tuple[str | int, ...], _Statement] = {}
"""Writing one takes longer than carrying it out."""
