"""Files of EPD lines: four fields of position, then operations such as ``bm #3; id "WAC.001";``.

Problem collections write operands that python-chess takes for moves (``bm #3``), so lines are taken apart here. FEN
lines, with counters after the four fields, are read as well.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trapcore.errors import InputError

MAX_LINE_BYTES = 1 << 14
"""A longer line is no EPD; what is beyond is dropped, so that a file that is no text cannot fill the memory."""

_OPERATION = re.compile(r"""\s*(?P<opcode>[A-Za-z]\w*)(?P<operand>(?:"[^"]*"|[^";])*)(?:;|$)""")


@dataclass(frozen=True, slots=True)
class EpdRecord:
    """One position of an EPD file."""

    fen: str
    """The four fields, without counters."""
    id: str | None
    """Operand of the ``id`` operation."""


def numbered_lines(chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """The lines that should hold a position, with their number from 1: blank lines and ``#`` comments are left out."""
    for number, raw in enumerate(_lines(chunks), 1):
        # Only ids can be anything but ASCII; one in an old encoding must not cost the position.
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace").strip()
        if line and not line.startswith("#"):
            yield number, line


def parse_epd(line: str) -> EpdRecord:
    """The position fields and the id of one line; raises ``InputError`` if there are fewer than four fields.

    Whether the fields are a legal position is for the reader of the position to say.
    """
    if len(line) >= MAX_LINE_BYTES:
        raise InputError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    fields = line.split(maxsplit=4)
    if len(fields) < 4:
        raise InputError(f"not an EPD: four fields are needed, {len(fields)} found: {line!r}")
    # The operations of a line with a fault are read up to the fault: the position does not depend on them.
    operations = {m["opcode"]: m["operand"].strip().strip('"') for m in _OPERATION.finditer(" ".join(fields[4:]))}
    return EpdRecord(" ".join(fields[:4]).rstrip(";"), operations.get("id") or None)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    pending = b""
    for chunk in chunks:
        *whole, last = chunk.split(b"\n")
        for piece in whole:
            yield (pending + piece)[:MAX_LINE_BYTES]
            pending = b""
        pending = (pending + last)[:MAX_LINE_BYTES]
    if pending:
        yield pending
