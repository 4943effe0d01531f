"""Families of a library, and the number of traps in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, func, select

from db.library.library import Library
from db.storage.tables import TrapRow
from db.storage.trap_rows import read_traps
from db.traps.json_form import JSON_FORM
from db.traps.trap import Trap
from trapcore.proof.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Family:
    """What traps have in common, e.g. ``smothered-mate``."""

    __pydantic_config__ = JSON_FORM

    family: str
    traps: int
    """Of any verdict."""
    proved: int


def families(library: Library) -> list[Family]:
    """All families by name. Raises `LibraryError`."""
    proved = func.sum(case((TrapRow.verdict == Verdict.PROVED.value, 1), else_=0))
    counted = select(TrapRow.family, func.count(), proved).group_by(TrapRow.family).order_by(TrapRow.family)
    with library.database.read() as connection:
        return [Family(name, traps, int(sure)) for name, traps, sure in connection.execute(counted)]


def traps_by_family(library: Library, names: Sequence[str], most: int) -> dict[str, list[Trap]]:
    """The first traps of these families by slug, ``most`` of each (1 or more). Raises `LibraryError`."""
    numbers: list[int] = []
    with library.database.read() as connection:
        for name in names:
            first = select(TrapRow.id).where(TrapRow.family == name).order_by(TrapRow.slug).limit(most)
            numbers += connection.scalars(first)
        traps = read_traps(connection, TrapRow.id.in_(numbers))
    return {name: [trap for trap in traps if trap.family == name] for name in names}
