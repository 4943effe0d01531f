"""What is wrong with the settings: all of it at once, and for each error the line of the file where it stands."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from trapcore.errors import UsageError

MOST_LINES = 500
"""Lines of one value, such as a long list, after which no line is looked for any more."""

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_PATH = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_PATH})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_PATH})\s*=")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    text: str
    line: int | None = None
    """Line of the settings file, from 1; None for what stands elsewhere."""


class BrokenSettings(UsageError):
    """Settings with one or several errors; its sentences are the errors, in the order of their lines."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        ordered = sorted(problems, key=lambda problem: problem.line or 0)
        texts = tuple(dict.fromkeys(problem.text for problem in ordered))
        self._sentences = texts if len(texts) == 1 else (f"{len(texts)} settings are wrong:", *texts)
        super().__init__("\n".join(self._sentences))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The errors, a line each."""
        return self._sentences


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Line of the file where a setting stands, or else the nearest thing of its table; None if it is not there.

    ``place`` is as pydantic gives it: ``("bot", "profiles", 0, "engine")``.
    """
    wanted = tuple(map(str, place))
    best: tuple[int, int] | None = None
    for line, path in _statements(text):
        common = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(wanted, path, strict=False))))
        if common > (0 if best is None else best[0]):
            best = common, line
    return None if best is None else best[1]


def _statements(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The tables and values of a TOML file, which can be read: each with its line and its place."""
    table: tuple[str, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    begun, statement = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        begun = begun if statement else number
        statement += f"{line}\n"
        if not _is_whole(statement):
            if number - begun > MOST_LINES:
                return
            continue
        header, assignment = _HEADER.match(statement), _ASSIGNMENT.match(statement)
        if header:
            table = _in_lists(_keys(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, str(counts[table]))
            yield begun, table
        elif assignment:
            yield begun, (*table, *_keys(assignment[1]))
        statement = ""


def _is_whole(statement: str) -> bool:
    try:
        tomllib.loads(statement)
    except ValueError:
        return False
    return True


def _keys(path: str) -> tuple[str, ...]:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, path))


def _in_lists(keys: tuple[str, ...], counts: dict[tuple[str, ...], int]) -> tuple[str, ...]:
    """The place of a table, which may lie in the last table of a list."""
    place: tuple[str, ...] = ()
    for number, key in enumerate(keys):
        place = (*place, key)
        if place in counts and number < len(keys) - 1:
            place = (*place, str(counts[place]))
    return place
