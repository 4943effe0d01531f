"""What the tables of a library share."""

from sqlalchemy import MetaData
from sqlalchemy.orm import DeclarativeBase

from db.storage import column_types
from db.storage.column_types import Float, Integer, LargeBinary, Text

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """What the tables share: named constraints."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {int: Integer, str: Text, float: Float, bytes: LargeBinary, bool: column_types.Boolean}  # noqa: RUF012
