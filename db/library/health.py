"""Condition of a library beyond its file: references between its rows, keys of its traps, traps that hold."""

from collections.abc import Sequence
from random import Random

from sqlalchemy import select

from db.library.library import Library
from db.storage.tables import TrapRow
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import InputError, PositionError
from trapcore.trees.position_key import mirror

_MOST_SHOWN = 5


def dangling_references(library: Library) -> list[str]:
    """Rows that refer to rows which are not there, by table, with how many; a server keeps its references itself.

    Raises `LibraryError`.
    """
    with library.database.read() as connection:
        if connection.dialect.name != "sqlite":
            return []
        rows = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    found: dict[str, int] = {}
    for table, _, parent, _ in rows:
        name = f"{table} to {parent}"
        found[name] = found.get(name, 0) + 1
    return [f"{count:,} of {name}" for name, count in sorted(found.items())][:_MOST_SHOWN]


def wrong_keys(library: Library) -> list[str]:
    """Slugs of traps that are not found by their position: stored keys that are not those of their EPD; some of them.

    Raises `LibraryError`.
    """
    wrong: list[str] = []
    with library.database.read() as connection:
        wanted = select(TrapRow.slug, TrapRow.epd, TrapRow.key, TrapRow.mirror_key)
        for slug, epd, key, mirror_key in connection.execute(wanted):
            if len(wrong) >= _MOST_SHOWN:
                break
            try:
                right = (_native.position_key(epd), _native.position_key(mirror(epd)))
            except (PositionError, TypeError, ValueError):
                continue  # such a row is counted where traps are read
            if (key, mirror_key) != right:
                wrong.append(str(slug))
    return wrong


def sample(traps: Sequence[Trap], most: int, seed: int) -> list[Trap]:
    """At most ``most`` (0 or more) of the proved traps, by chance, ascending by slug."""
    proved = [trap for trap in traps if trap.verdict == "proved"]
    chosen = Random(seed).sample(proved, min(most, len(proved)))
    return sorted(chosen, key=lambda trap: trap.slug)


def broken(traps: Sequence[Trap]) -> list[str]:
    """What is wrong with those of the traps that `Trap.check` refuses, a sentence each."""
    found = []
    for trap in traps:
        try:
            trap.check()
        except InputError as error:
            found.append(str(error))
    return found
