"""Types of columns that look at what they read: SQLite keeps any type in any column, and a library may be from anybody.

They are SQLAlchemy's own in everything else. A server keeps to its types by itself.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, TypeVar

import sqlalchemy
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, mapped_column
from sqlalchemy.types import TypeEngine
from sqlalchemy.util import immutabledict

from trapcore.errors import LibraryError

_SHOWN = 40

T = TypeVar("T")


class Misfit:
    """A stored value that is not of its column's type, in the guise of one that is.

    So it can be sorted, compared and counted like any other until `db.storage.row_check` skips its row, which
    it knows by its class.
    """

    was: object
    """What is stored."""


class _MisfitText(Misfit, str):
    pass


class _MisfitNumber(Misfit, int):
    pass


class _MisfitFloat(Misfit, float):
    pass


def _misfit(kind: type, was: object) -> object:
    numbers: dict[type, type[Misfit]] = {float: _MisfitFloat, int: _MisfitNumber}
    made = _MisfitText(shown(was)) if kind is str else numbers[kind]()
    made.was = was
    return made


TIME = "%Y-%m-%dT%H:%M:%SZ"
"""How times are stored: ISO 8601, UTC."""


def time_text(time: datetime | None = None) -> str:
    """A time in UTC, by default the present one, as it is stored: ``2026-11-22T01:02:03Z``."""
    return (time or datetime.now(UTC)).strftime(TIME)


def shown(value: object) -> str:
    """A value that is not what it should be, short enough for a message."""
    if isinstance(value, Misfit):
        value = value.was
    if value is None:
        return "nothing"
    text = repr(value[:_SHOWN] if isinstance(value, str | bytes) else value)
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"


def stored(kind: Callable[[Any], T], value: object) -> T:
    """A stored value as ``kind`` has it, an enumeration or a function that reads a text. Raises `LibraryError` for one
    that it refuses as a `ValueError`.
    """
    try:
        return kind(value)
    except ValueError as error:
        raise LibraryError(
            f"the library has a row that cannot be read: {shown(value)} is no {getattr(kind, '__name__', 'value')}; "
            "`trapline doctor` says what to do"
        ) from error


class _Checked:
    kinds: ClassVar[tuple[type, ...]]
    """Of the values."""
    word: ClassVar[str]
    field: str | None = None
    """Table and column; None if the reader checks the value itself and gets a `Misfit`."""

    def adapt(self, cls: Any, **keywords: Any) -> Any:
        """The same for a database, which knows the field as well."""
        made = super().adapt(cls, **keywords)  # type: ignore[misc]
        if isinstance(made, _Checked):
            made.field = self.field
        return made

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Function through which each value passes that is read."""
        inner = super().result_processor(dialect, coltype)  # type: ignore[misc]
        if dialect.name != "sqlite":
            return inner
        kinds, word, field = self.kinds, self.word, self.field

        def checked(value: object) -> object:
            if type(value) not in kinds:
                if value is None:
                    return None
                if field is None:
                    return _misfit(kinds[0], value)
                raise LibraryError(
                    f"the library has a row that cannot be read: {field} holds {shown(value)}, which is no {word}; "
                    "`trapline doctor` says which one and what to do"
                )
            return value if inner is None else inner(value)

        return checked


class Integer(_Checked, sqlalchemy.Integer):
    """A whole number."""

    kinds, word = (int,), "whole number"


class BigInteger(_Checked, sqlalchemy.BigInteger):
    """A whole number of 64 bits."""

    kinds, word = (int,), "whole number"


class SmallInteger(_Checked, sqlalchemy.SmallInteger):
    """A whole number of 16 bits."""

    kinds, word = (int,), "whole number"


class Boolean(_Checked, sqlalchemy.Boolean):
    """True or false, which SQLite keeps as 1 and 0."""

    kinds, word = (int, bool), "truth value"


class Float(_Checked, sqlalchemy.Float[float]):
    """A number."""

    kinds, word = (float, int), "number"


class String(_Checked, sqlalchemy.String):
    """A text of a bounded length."""

    kinds, word = (str,), "text"


class Text(_Checked, sqlalchemy.Text):
    """A text."""

    kinds, word = (str,), "text"


class LargeBinary(_Checked, sqlalchemy.LargeBinary):
    """Bytes."""

    kinds, word = (bytes,), "sequence of bytes"


def name_fields(metadata: sqlalchemy.MetaData, looked_at_elsewhere: tuple[str, ...]) -> None:
    """Have each column of the tables know its name, except in the tables that `db.storage.row_check` checks."""
    for table in metadata.tables.values():
        for column in table.columns:
            if table.name in looked_at_elsewhere and not isinstance(column.type, LargeBinary):
                continue
            # Types of columns that are declared together are one object, and so are those for certain databases.
            column.type = column.type.copy()
            variants = {name: kind.copy() for name, kind in column.type._variant_mapping.items()}
            column.type._variant_mapping = immutabledict(variants)
            for kind in (column.type, *variants.values()):
                assert isinstance(kind, _Checked), f"{table.name}.{column.name}"
                kind.field = f"{table.name}.{column.name}"


def ordered(length: int | None = None) -> TypeEngine[str]:
    """A text that is sorted by and compared with, by code points on a server too; SQLite knows nothing else."""
    kind = Text if length is None else String
    return kind(length).with_variant(kind(length, collation="C"), "postgresql")


def big() -> TypeEngine[int]:
    """A number of 64 bits; SQLite numbers rows by itself only in a column that is an INTEGER."""
    return BigInteger().with_variant(Integer(), "sqlite")


Id = Annotated[int, mapped_column(big(), primary_key=True)]
Key = Annotated[bytes, mapped_column(LargeBinary(16))]
"""A position key, see `trapcore.trees.position_key`, or a digest of the same length."""

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """What the tables share: named constraints, and Python's types as columns."""

    metadata = sqlalchemy.MetaData(naming_convention=NAMING)
    type_annotation_map = {int: Integer, str: Text, float: Float, bytes: LargeBinary, bool: Boolean}  # noqa: RUF012
