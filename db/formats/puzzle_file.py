"""Reader of the lichess puzzle file (https://database.lichess.org/#puzzles), a table in CSV, row by row."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping

from trapcore.errors import InputError

NEEDED = ("PuzzleId", "FEN", "Moves", "Themes")
"""Columns that a puzzle file must have, in any order; ``GameUrl``, ``OpeningTags`` and ``Rating`` are read if they are
there."""

Row = Mapping[str, str]
"""Columns by name; the last ones are missing where a line is short."""

LONGEST_LINE = 100_000
"""Longest line of a table in bytes; the longest real row has some 600."""


def read_rows(
    chunks: Iterable[bytes], name: str, *, is_whole: Callable[[], bool] = lambda: True
) -> Iterator[tuple[int, Row | InputError]]:
    """Line number (from 2) and row of each line that is not empty, or the error of a line that is no row.

    ``chunks`` are the bytes of the file, unpacked; ``name`` is what errors call it. ``is_whole`` is called at the end:
    whether the chunks went to the end of the file, so that the last line counts. Raises ``InputError`` for a file that
    lacks one of the columns `NEEDED`, and for a line that is too long to be one of a table.
    """
    lines = _lines(chunks, name, is_whole)
    columns = _fields(next(lines, ""))
    missing = [column for column in NEEDED if column not in columns]
    if missing:
        raise InputError(f"{name} is no lichess puzzle file: its first line lacks {', '.join(missing)}")
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        try:
            row: Row | InputError = dict(zip(columns, _fields(line), strict=False))
        except InputError as error:
            row = error
        yield number, row


def _fields(line: str) -> list[str]:
    # A reader for each line, so that a stray quote spoils no more than its own line.
    try:
        return next(csv.reader([line]), [])
    except csv.Error as error:
        raise InputError(f"the line is no row of a table: {error}") from error


def _lines(chunks: Iterable[bytes], name: str, is_whole: Callable[[], bool]) -> Iterator[str]:
    rest, is_first = b"", True
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield _text(line, is_first)
            is_first = False
        if len(rest) > LONGEST_LINE:
            raise InputError(f"{name} has a line that is too long for a table of puzzles")
    if is_whole():
        yield _text(rest, is_first)


def _text(line: bytes, is_first: bool) -> str:
    return line.rstrip(b"\r").decode("utf-8-sig" if is_first else "utf-8", "replace")
