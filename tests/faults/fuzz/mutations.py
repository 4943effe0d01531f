"""Changes to a sample, each by chance: to bytes, to JSON, to the cells of a database."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

NUMBERS: list[int | float] = [0, -1, 1, 5, 127, 128, 255, 65_535, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63), 1e308, -0.5]

TEXTS = [
    "",
    " ",
    "nonsense",
    "../../pwned",
    "/etc/passwd",
    "\x1b[31m",
    "two\nlines",
    "\u202eturned",
    "a" * 5000,
    "-5",
    "1e999",
    "e2e4",
    "e7e8q",
    "8/8/8/8/8/8/8/8 w - -",
    "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - -",
    "{" * 500,
    "2026-13-45T99:99:99Z",
]


PIECES = [b"(", b"{", b"[", b'"', b"\\", b"\x00", b"\xff\xfe", b"$999999999999"]


def changed_bytes(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The bytes with one to six changes; ``others`` are samples that a part may come from."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(found))
        end = min(len(found), at + chance.choice((1, 2, 8, 64, 1024)))
        match chance.randint(0, 6):
            case 0:
                found[at:end] = b""
            case 1:
                found[at:end] = bytes(chance.randrange(256) for _ in range(end - at))
            case 2:
                found[at:at] = found[at:end] * chance.randint(1, 40)
            case 3 if at < len(found):
                found[at] ^= 1 << chance.randrange(8)
            case 4:
                other = chance.choice(others)
                begin = chance.randint(0, len(other))
                found[at:end] = other[begin : begin + chance.randint(1, 200)]
            case 5:
                found[at:at] = chance.choice(PIECES) * chance.choice((1, 2, 1000))
            case _:
                del found[at:]
    return bytes(found)


def changed_json(chance: random.Random, value: Any) -> Any:
    """The value with a few of its parts replaced, removed or nested."""
    if chance.random() < 0.1:
        return odd_value(chance)
    if isinstance(value, dict):
        found = {key: changed_json(chance, one) if chance.random() < 0.3 else one for key, one in value.items()}
        if found and chance.random() < 0.2:
            del found[chance.choice(list(found))]
        return found
    if isinstance(value, list):
        return [changed_json(chance, one) for one in value] * chance.choice((1, 1, 1, 3))
    return odd_value(chance) if chance.random() < 0.5 else value


def odd_value(chance: random.Random) -> Any:
    """A value of any type in JSON."""
    depth: Any = None
    for _ in range(chance.choice((1, 30))):
        depth = [depth]
    return chance.choice([None, True, {}, [], {"a": []}, depth, "\ud800", chance.choice(TEXTS), chance.choice(NUMBERS)])


def change_cell(chance: random.Random, library: Path) -> str:
    """Put an odd value into a cell of a SQLite file; says which and what. Rules of the tables are switched off."""
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        while True:
            table = chance.choice([name for name in tables if name != "meta"])
            columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
            column = chance.choice(columns)
            found = connection.execute(f'SELECT "{column}" FROM {table}').fetchall()
            if not found:
                continue
            (old,) = chance.choice(found)
            new = _odd_cell(chance, old)
            try:
                connection.execute(f'UPDATE {table} SET "{column}" = ? WHERE "{column}" IS ?', (new, old))
            except sqlite3.Error:
                continue  # of a key that another row has, of a number that a row cannot have
            connection.commit()
            return f"{table}.{column}: {old!r:.60} became {new!r:.60}"


def _odd_cell(chance: random.Random, old: object) -> object:
    if isinstance(old, bytes) and chance.random() < 0.6:
        return changed_bytes(chance, old, [old])
    if isinstance(old, str) and chance.random() < 0.3:
        return changed_bytes(chance, old.encode(), [old.encode()]).decode("utf-8", "replace")
    return chance.choice([None, b"", b"\xff" * 16, chance.choice(TEXTS), chance.choice(NUMBERS)])
