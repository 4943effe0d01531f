"""Lines that hold two positions: FEN, tab, FEN, and perhaps tab and a name; or the same as JSON."""

import json
from dataclasses import dataclass
from typing import Any

from trapcore.errors import InputError
from trapcore.io.epd import MAX_LINE_BYTES


@dataclass(frozen=True, slots=True)
class PositionPair:
    """Two positions to compare; whether they are legal is for their reader to say."""

    first: str
    second: str
    id: str | None = None
    """What the line calls the pair."""


def parse_pair(line: str) -> PositionPair:
    """The pair of one line; raises ``InputError`` if it holds none.

    As JSON an object, ``{"first": FEN, "second": FEN, "id": "..."}``, whose other members are left alone, or a list of
    two or three texts.
    """
    if len(line) >= MAX_LINE_BYTES:
        raise InputError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    if not line.startswith(("{", "[")):
        return _checked(line.split("\t"), line)
    try:
        read = json.loads(line)
    # A line of ten thousand brackets is too deep for the reader.
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}: {line!r}") from error
    if isinstance(read, dict):
        parts = [read.get("first"), read.get("second")]
        return _checked(parts if read.get("id") is None else [*parts, str(read["id"])], line)
    return _checked(read, line)


def _checked(parts: list[Any], line: str) -> PositionPair:
    if len(parts) not in (2, 3) or not all(isinstance(part, str) and part.strip() for part in parts):
        raise InputError(f"not a pair of positions: two FENs with a tab between them, or JSON, are needed: {line!r}")
    return PositionPair(*(part.strip() for part in parts))
