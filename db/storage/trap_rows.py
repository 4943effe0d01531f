"""Rows of a trap: itself, its profile by depth, the opinions on it."""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, outerjoin

from db.storage.bulk import BulkInsert, BulkLookup, Value
from db.storage.column_types import time_text
from db.storage.name_index import forget_names, index_names
from db.storage.row_check import RowCheck, skip
from db.storage.sighting_rows import BY_KEY
from db.storage.tables import DepthRow, MetaRow, OpinionRow, ProfileRow, SightingRow, TrapRow
from db.traps.opinion import Opinion
from db.traps.temptation import Profile
from db.traps.terms import Outcome
from db.traps.trap import Trap, first_sans
from db.wording.patterns import theme_keys
from trapcore.errors import InputError, LibraryError
from trapcore.proof.verdict import DepthValue, Verdict

_FIELDS = tuple(field.name for field in fields(Trap) if field.name in TrapRow.__table__.columns)
"""Fields of a trap that have a column of the same name; profile and opinions have tables of their own."""

_COLUMNS = (TrapRow.id, *(getattr(TrapRow, field) for field in _FIELDS), ProfileRow.rank, ProfileRow.gain)
_PROFILED = outerjoin(TrapRow, ProfileRow, ProfileRow.trap_id == TrapRow.id)

_OUTCOMES = tuple(map(str, Outcome))
_VERDICTS = tuple(map(str, Verdict))

_FOUND_BY = ("bait_san", "killer_san", "length", "themes")
"""What follows from the fields and is stored to be found by."""

STATE = "traps_state"
"""The fact in ``meta`` that changes with the traps."""

PROOF = ("verdict", "mate_in", "gain", "proof_by", "proof_nodes", "proof_depth", "profile", "opinions")
"""Fields of a trap that proving it gives."""


def is_example() -> ColumnElement[bool]:
    """The traps that something can be learned from, and that others may be likened to."""
    return or_(
        TrapRow.verdict == Verdict.PROVED.value,
        (TrapRow.verdict == Verdict.UNDECIDED.value) & (TrapRow.reason == ""),
    )


def read_traps(connection: Connection, *where: ColumnElement[bool]) -> list[Trap]:
    """The traps that meet the conditions, ascending by slug."""
    wanted = select(*_COLUMNS).select_from(_PROFILED).where(*where).order_by(TrapRow.slug)
    return _traps(connection, [tuple(row) for row in connection.execute(wanted)])


def traps_of_slugs(connection: Connection, slugs: Sequence[str]) -> list[Trap]:
    """The traps of these slugs, in no order; those that are not there are left out."""
    return _traps(connection, list(BulkLookup(connection, _COLUMNS, TrapRow.slug, _PROFILED).find(sorted(slugs))))


def traps_by_identity(connection: Connection, keys: Sequence[bytes]) -> dict[tuple[bytes, str], Trap]:
    """The traps of the positions with these keys, by key and bait."""
    wanted = [TrapRow.key, *_COLUMNS]
    found = list(BulkLookup(connection, wanted, TrapRow.key, _PROFILED).find(sorted(set(keys))))
    traps = _traps(connection, [rest for _, *rest in found])
    return {(row[0], trap.bait): trap for row, trap in zip(found, traps, strict=True)}


def insert_traps(connection: Connection, traps: Sequence[Trap]) -> None:
    """Store traps that are not there yet, in this order."""
    created = time_text()
    next_id = (connection.scalar(select(func.max(TrapRow.id))) or 0) + 1
    numbered = list(enumerate(traps, start=next_id))
    columns = ("id", *_FIELDS, *_FOUND_BY, "key", "mirror_key", "victim", "created")
    rows = [
        (trap_id, *_values(trap).values(), *_found_by(trap), trap.key, trap.mirror_key, trap.victim, created)
        for trap_id, trap in numbered
    ]
    BulkInsert(connection, TrapRow, columns).insert(rows)
    _insert_evidence(connection, numbered)
    index_names(connection, [(trap_id, trap.name, trap.family, trap.slug) for trap_id, trap in numbered])
    mark_changed(connection)


def replace_trap(connection: Connection, key: bytes, trap: Trap) -> None:
    """Put a trap in the place of the one with its position, whose key is given, and bait."""
    trap_id = connection.execute(select(TrapRow.id).where(TrapRow.key == key, TrapRow.bait == trap.bait)).scalar_one()
    forget_names(connection, trap_id)
    connection.execute(update(TrapRow).where(TrapRow.id == trap_id).values(_stored(trap)))
    index_names(connection, [(trap_id, trap.name, trap.family, trap.slug)])
    mark_changed(connection)
    for table in (ProfileRow, DepthRow, OpinionRow):
        connection.execute(delete(table).where(table.trap_id == trap_id))
    _insert_evidence(connection, [(trap_id, trap)])
    # A sighting of the very position has the verdict of its trap.
    seen = SightingRow.trap_id == trap_id, SightingRow.measure == BY_KEY
    connection.execute(update(SightingRow).where(*seen).values(verdict=trap.verdict.value))


_STATE = select(MetaRow.value).where(MetaRow.key == STATE)


def traps_state(connection: Connection) -> str:
    """A text that is another one whenever a trap was stored, replaced or removed, in any copy of the library.

    Raises `LibraryError` for a library without it.
    """
    state = connection.scalar(_STATE)
    if state is None:
        raise LibraryError(f"the library lacks {STATE} in its table meta; put back a copy of it")
    return state


def mark_changed(connection: Connection) -> None:
    """Give the traps another state."""
    # Random and no count: of two copies that went different ways, both would have counted as far.
    connection.execute(update(MetaRow).where(MetaRow.key == STATE).values(value=secrets.token_hex(16)))


def _traps(connection: Connection, rows: Sequence[Sequence[Any]]) -> list[Trap]:
    """Rows of `_COLUMNS` as traps."""
    rows = [row for row in rows if _is_whole(connection, row)]
    depths = _depths(connection, sorted(row[0] for row in rows if row[-1] is not None))
    opinions = _opinions(connection, sorted(row[0] for row in rows))
    traps = []
    for trap_id, *values, rank, gain in rows:
        known = dict(zip(_FIELDS, values, strict=True))
        known["killer_line"] = tuple(known["killer_line"].split())
        known["outcome"] = Outcome(known["outcome"])
        known["verdict"] = Verdict(known["verdict"])
        if rank is not None:
            by_depth = sorted(depths.get(trap_id, ()), key=lambda value: value.depth)
            known["profile"] = Profile(rank=rank, gain=gain, depths=tuple(by_depth))
        # Ours come first, then the others by name.
        ordered = sorted(opinions.get(trap_id, ()), key=lambda opinion: (not opinion.is_ours, opinion.by))
        trap = Trap(**known, opinions=tuple(ordered))
        try:
            trap.check_stored()
        except InputError as error:
            skip(connection, f"trap {trap.slug}", str(error))
        else:
            traps.append(trap)
    return traps


_TRAP_CHECK = RowCheck(_COLUMNS[:-2])
_PROFILE_CHECK = RowCheck(_COLUMNS[-2:])


def _is_whole(connection: Connection, row: Sequence[Any]) -> bool:
    """Whether a row of `_COLUMNS` has what the columns promise; any other row is skipped."""
    fault = _TRAP_CHECK.fault(row[:-2])
    if fault is None and any(value is not None for value in row[-2:]):
        fault = _PROFILE_CHECK.fault(row[-2:])
    known = dict(zip(_FIELDS, row[1:-2], strict=True))
    if fault is None and known["outcome"] not in _OUTCOMES:
        fault = f"the field outcome is {known['outcome']!r}, not one of {', '.join(_OUTCOMES)}"
    if fault is None and known["verdict"] not in _VERDICTS:
        fault = f"the field verdict is {known['verdict']!r}, not one of {', '.join(_VERDICTS)}"
    if fault is not None:
        skip(connection, f"trap {known['slug']}", fault)
    return fault is None


def _depths(connection: Connection, numbers: Sequence[int]) -> dict[int, list[DepthValue]]:
    found: defaultdict[int, list[DepthValue]] = defaultdict(list)
    columns = (DepthRow.depth, DepthRow.bait, DepthRow.best)
    check = RowCheck(columns)
    for trap_id, *values in _of_traps(connection, numbers, DepthRow.trap_id, *columns):
        fault = check.fault(values)
        if fault is None:
            found[trap_id].append(DepthValue(*values))
        else:
            skip(connection, f"profile of trap number {trap_id}", fault)
    return found


def _opinions(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Opinion]]:
    found: defaultdict[int, list[Opinion]] = defaultdict(list)
    columns = (OpinionRow.by, OpinionRow.verdict, OpinionRow.gain, OpinionRow.nodes, OpinionRow.depth, OpinionRow.date)
    check = RowCheck(columns)
    for trap_id, *values in _of_traps(connection, numbers, OpinionRow.trap_id, *columns):
        by, verdict, gain, nodes, depth, date = values
        fault = check.fault(values)
        if fault is None and verdict not in _VERDICTS:
            fault = f"the field verdict is {verdict!r}, not one of {', '.join(_VERDICTS)}"
        if fault is not None:
            skip(connection, f"opinion on trap number {trap_id}", fault)
            continue
        found[trap_id].append(Opinion(by=by, verdict=Verdict(verdict), gain=gain, nodes=nodes, depth=depth, date=date))
    return found


def _of_traps(
    connection: Connection,
    numbers: Sequence[int],
    trap_id: InstrumentedAttribute[int],
    *columns: InstrumentedAttribute[Any],
) -> list[tuple[Any, ...]]:
    if not numbers:
        return []
    return list(BulkLookup(connection, [trap_id, *columns], trap_id).find(numbers))


def _insert_evidence(connection: Connection, numbered: Sequence[tuple[int, Trap]]) -> None:
    profiles: list[tuple[Value, ...]] = []
    depths: list[tuple[Value, ...]] = []
    opinions: list[tuple[Value, ...]] = []
    for trap_id, trap in numbered:
        if trap.profile is not None:
            profiles.append((trap_id, trap.profile.rank, trap.profile.gain))
            depths += [(trap_id, value.depth, value.bait, value.best) for value in trap.profile.depths]
        opinions += [
            (trap_id, opinion.by, opinion.verdict.value, opinion.gain, opinion.nodes, opinion.depth, opinion.date)
            for opinion in trap.opinions
        ]
    BulkInsert(connection, ProfileRow, ("trap_id", "rank", "gain")).insert(profiles)
    BulkInsert(connection, DepthRow, ("trap_id", "depth", "bait", "best")).insert(depths)
    columns = ("trap_id", "by", "verdict", "gain", "nodes", "depth", "date")
    BulkInsert(connection, OpinionRow, columns).insert(opinions)


def _values(trap: Trap) -> dict[str, Any]:
    """The stored fields in the order of `_FIELDS`, as plain types."""
    values = {field: getattr(trap, field) for field in _FIELDS}
    values["killer_line"] = " ".join(trap.killer_line)
    values["outcome"] = trap.outcome.value
    values["verdict"] = trap.verdict.value
    return values


def _found_by(trap: Trap) -> tuple[str, str, int, str]:
    """The values of `_FOUND_BY`."""
    bait, killer = first_sans(trap.epd, trap.bait, trap.killer_line[0])
    return bait, killer, trap.length, theme_keys(trap.epd, trap.line)


def _stored(trap: Trap) -> dict[str, Any]:
    return _values(trap) | dict(zip(_FOUND_BY, _found_by(trap), strict=True))
