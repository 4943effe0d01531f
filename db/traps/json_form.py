"""JSON form of values: pydantic reads the fields, their types and their descriptions off the dataclass itself.

A dataclass whose JSON people see has ``__pydantic_config__ = JSON_FORM``: then `to_dict` writes it. Code that needs a
JSON schema, such as the HTTP interface, gives the class to pydantic. Nothing is listed a second time.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

if TYPE_CHECKING:
    from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

JSON_FORM: ConfigDict = {
    "extra": "forbid",
    "use_attribute_docstrings": True,
    "json_schema_serialization_defaults_required": True,
}
"""Nothing is in the form that is not a field, every field is in it, and the text below a field describes it."""


@dataclass(frozen=True)
class _FourDecimals:
    """Mark of a figure that has four decimals in JSON; pydantic asks it for the serializer."""

    schema: type | Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        found = handler(source)
        found["serialization"] = core_schema.plain_serializer_function_ser_schema(  # type: ignore[index]
            _rounded, return_schema=handler(self.schema)
        )
        return found


def _rounded(value: float) -> float:
    return round(value, 4)


Rounded = Annotated[float, _FourDecimals(float)]
"""A figure with four decimals in JSON."""

Share = Annotated[float, _FourDecimals(Annotated[float, Interval(ge=0, le=1)])]
"""A figure from 0 to 1, with four decimals in JSON."""


def to_dict(value: object) -> dict[str, Any]:
    """Fields of a dataclass as JSON has them, in their order: tuples as lists, enumerations as their values."""
    fields: dict[str, Any] = _adapter(type(value)).dump_python(value, mode="json")
    return fields


def prepare(*kinds: type) -> None:
    """Build the forms of these dataclasses now; otherwise each is built when it is first written."""
    for kind in kinds:
        _adapter(kind)


def _adapter(kind: type) -> TypeAdapter[Any]:
    found = _ADAPTERS.get(kind)
    if found is None:
        # Imported here: most commands write no JSON, and building an adapter takes some milliseconds.
        from pydantic import TypeAdapter

        # One at a time: pydantic parses the source for the descriptions, and CPython 3.11 fails with a `SystemError`
        # where two threads parse at once (https://github.com/python/cpython/issues/106905).
        with _LOCK:
            if kind not in _ADAPTERS:
                _ADAPTERS[kind] = TypeAdapter(kind)
            found = _ADAPTERS[kind]
    return found


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}
_LOCK = threading.Lock()
