"""A trap as rows of the tables: itself, its profile by depth, the opinions on it."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute

from db.bulk import BulkInsert, BulkLookup, Value
from db.models import DepthRow, OpinionRow, ProfileRow, SightingRow, TrapRow
from db.opinion import Opinion
from db.sighting import BY_KEY
from db.temptation import Profile
from db.trap import Outcome, Trap
from trapcore.baits import DepthValue
from trapcore.proof import Verdict

_FIELDS = (
    "slug",
    "name",
    "family",
    "epd",
    "bait",
    "killer_line",
    "outcome",
    "verdict",
    "mate_in",
    "gain",
    "proof_by",
    "proof_nodes",
    "proof_depth",
    "eco",
    "opening",
    "moves",
    "source",
    "reason",
)

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
    wanted = select(TrapRow.id, *(getattr(TrapRow, field) for field in _FIELDS)).where(*where).order_by(TrapRow.slug)
    return _traps(connection, [tuple(row) for row in connection.execute(wanted)])


def traps_by_identity(connection: Connection, keys: Sequence[bytes]) -> dict[tuple[bytes, str], Trap]:
    """The traps of the positions with these keys, by key and bait."""
    wanted = [TrapRow.key, TrapRow.id, *(getattr(TrapRow, field) for field in _FIELDS)]
    found = list(BulkLookup(connection, wanted, TrapRow.key).find(sorted(set(keys))))
    traps = _traps(connection, [rest for _, *rest in found])
    return {(row[0], trap.bait): trap for row, trap in zip(found, traps, strict=True)}


def insert_traps(connection: Connection, traps: Sequence[Trap]) -> None:
    """Store traps that are not there yet, in this order."""
    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    next_id = (connection.scalar(select(func.max(TrapRow.id))) or 0) + 1
    numbered = list(enumerate(traps, start=next_id))
    columns = ("id", *_FIELDS, "key", "mirror_key", "victim", "created")
    rows = [
        (trap_id, *_values(trap).values(), trap.key, trap.mirror_key, trap.victim, created)
        for trap_id, trap in numbered
    ]
    BulkInsert(connection, TrapRow, columns).insert(rows)
    _insert_evidence(connection, numbered)


def replace_trap(connection: Connection, key: bytes, trap: Trap) -> None:
    """Put a trap in the place of the one with its position, whose key is given, and bait."""
    trap_id = connection.execute(select(TrapRow.id).where(TrapRow.key == key, TrapRow.bait == trap.bait)).scalar_one()
    connection.execute(update(TrapRow).where(TrapRow.id == trap_id).values(_values(trap)))
    for table in (ProfileRow, DepthRow, OpinionRow):
        connection.execute(delete(table).where(table.trap_id == trap_id))
    _insert_evidence(connection, [(trap_id, trap)])
    # A sighting of the very position has the verdict of its trap.
    seen = SightingRow.trap_id == trap_id, SightingRow.measure == BY_KEY
    connection.execute(update(SightingRow).where(*seen).values(verdict=trap.verdict.value))


def _traps(connection: Connection, rows: Sequence[Sequence[Any]]) -> list[Trap]:
    """Rows of number and `_FIELDS` as traps."""
    numbers = sorted(row[0] for row in rows)
    profiles = _profiles(connection, numbers)
    opinions = _opinions(connection, numbers)
    traps = []
    for trap_id, *values in rows:
        fields = dict(zip(_FIELDS, values, strict=True))
        fields["killer_line"] = tuple(fields["killer_line"].split())
        fields["outcome"] = Outcome(fields["outcome"])
        fields["verdict"] = Verdict(fields["verdict"])
        # Ours come first, then the others by name.
        ordered = sorted(opinions.get(trap_id, ()), key=lambda opinion: (not opinion.is_ours, opinion.by))
        traps.append(Trap(**fields, profile=profiles.get(trap_id), opinions=tuple(ordered)))
    return traps


def _profiles(connection: Connection, numbers: Sequence[int]) -> dict[int, Profile]:
    depths: defaultdict[int, list[DepthValue]] = defaultdict(list)
    for trap_id, *values in _of_traps(
        connection, numbers, DepthRow.trap_id, DepthRow.depth, DepthRow.bait, DepthRow.best
    ):
        depths[trap_id].append(DepthValue(*values))
    return {
        trap_id: Profile(
            rank=rank, gain=gain, depths=tuple(sorted(depths.get(trap_id, ()), key=lambda value: value.depth))
        )
        for trap_id, rank, gain in _of_traps(connection, numbers, ProfileRow.trap_id, ProfileRow.rank, ProfileRow.gain)
    }


def _opinions(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Opinion]]:
    found: defaultdict[int, list[Opinion]] = defaultdict(list)
    columns = (OpinionRow.by, OpinionRow.verdict, OpinionRow.gain, OpinionRow.nodes, OpinionRow.depth, OpinionRow.date)
    for trap_id, by, verdict, gain, nodes, depth, date in _of_traps(connection, numbers, OpinionRow.trap_id, *columns):
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
            (trap_id, said.by, said.verdict.value, said.gain, said.nodes, said.depth, said.date)
            for said in trap.opinions
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
