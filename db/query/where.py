"""Conditions of a query as SQL. What people write goes into it as values only, never as text of a statement."""

import re
from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.query.query import ECO, Query
from db.storage.collation import begins, plain
from db.storage.models import GameRow, SightingRow, TrapRow
from db.storage.sighting_rows import BY_KEY
from db.traps.trap import plain_san
from trapcore.errors import Message, UsageError
from trapcore.suggestions import unknown_name

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_SAN = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?|O-O(-O)?")


def conditions(connection: Connection, query: Query) -> list[ColumnElement[bool]]:
    """What a trap must meet; frequencies, texts and positions are not among it.

    Raises `UsageError` for a family that is not in the library and a bad move.
    """
    return [*_names(connection, query), *_plain(query), *_moves(connection, query), *_sightings(query)]


def distinct(
    connection: Connection, column: InstrumentedAttribute[str] | InstrumentedAttribute[str | None]
) -> list[str]:
    """The values that a column with an index has, each found by its own look-up, so that a million traps of twenty
    families cost as much as twenty traps.
    """
    first = select(func.min(column).label("value")).cte("found", recursive=True)
    following = select(func.min(column)).where(column > first.c.value).scalar_subquery()
    found = first.union_all(select(following).where(first.c.value.is_not(None)))
    values = connection.scalars(select(found.c.value).where(found.c.value.is_not(None)))
    return [value for value in values if isinstance(value, str)]  # what is no text is counted where its row is read


def _names(connection: Connection, query: Query) -> Iterator[ColumnElement[bool]]:
    if query.family is not None:
        if connection.scalar(select(literal(1)).where(TrapRow.family == query.family).limit(1)) is None:
            raise _unknown_family(query.family, distinct(connection, TrapRow.family))
        yield TrapRow.family == query.family
    if query.eco is not None:
        yield eco_condition(connection, TrapRow.eco, query.eco)
    if query.opening is not None:
        wanted = plain(query.opening.strip())
        yield TrapRow.opening.in_([name for name in distinct(connection, TrapRow.opening) if wanted in plain(name)])
    if query.source is not None:
        yield begins(connection, TrapRow.source, query.source.strip())


def eco_condition(connection: Connection, column: InstrumentedAttribute[str], eco: str) -> ColumnElement[bool]:
    """A code, the beginning of one, or two with a hyphen, of a column that has them. Raises `UsageError` for none."""
    if not ECO.fullmatch(eco.upper()):
        raise UsageError("eco must be like C41, B1 or B10-B19, not {eco!r}", eco=eco)
    first, _, last = eco.upper().partition("-")
    if last:
        return (column >= first) & or_(column <= last, begins(connection, column, last))
    return column == first if len(first) == 3 else begins(connection, column, first)


def _plain(query: Query) -> Iterator[ColumnElement[bool]]:
    for column, wanted in (
        (TrapRow.victim, query.victim),
        (TrapRow.outcome, query.outcome),
        (TrapRow.verdict, query.verdict),
    ):
        if wanted is not None:
            yield column == wanted
    if query.min_length is not None:
        yield TrapRow.length >= query.min_length
    if query.max_length is not None:
        yield TrapRow.length <= query.max_length


def _moves(connection: Connection, query: Query) -> Iterator[ColumnElement[bool]]:
    if query.bait is not None:
        uci, san = _read("bait", query.bait)
        yield TrapRow.bait == uci if uci else TrapRow.bait_san == san
    if query.killer is not None:
        uci, san = _read("killer", query.killer)
        # A killer line of one move, or of more.
        line = or_(TrapRow.killer_line == uci, begins(connection, TrapRow.killer_line, f"{uci} "))
        yield line if uci else TrapRow.killer_san == san


def _read(what: str, text: str) -> tuple[str, str]:
    """A move as UCI or as SAN, the other of the two empty."""
    move = plain_san(text.strip().replace("0-0", "O-O").replace("O-0", "O-O"))
    if _UCI.fullmatch(move.lower()):
        return move.lower(), ""
    if not _SAN.fullmatch(move):
        raise UsageError(
            "{what} must be a move in SAN such as Nxd5 or in UCI such as c3d5, not {text!r}",
            what=Message(what),
            text=text,
        )
    return "", re.sub(r"(?<=[18])(?=[QRBN]$)", "=", move)


def _sightings(query: Query) -> Iterator[ColumnElement[bool]]:
    if query.player is None and query.event is None:
        return
    seen = select(SightingRow.trap_id).where(SightingRow.measure == BY_KEY)
    if query.event is not None:
        seen = seen.where(SightingRow.event == query.event)
    if query.player is not None:
        wanted = query.player.strip()
        named = GameRow.white.icontains(wanted, autoescape=True) | GameRow.black.icontains(wanted, autoescape=True)
        seen = seen.join_from(SightingRow, GameRow, GameRow.id == SightingRow.game_id).where(named)
    # Not a look at each trap whether it was seen: few of a million are.
    yield TrapRow.id.in_(seen)


def _unknown_family(given: str, known: Sequence[str]) -> UsageError:
    if not known:
        return UsageError("unknown family {given!r}: the library has no traps", given=given)
    error = unknown_name("family", given, known)
    if "nearest" in error.message.values or len(known) <= 60:
        return error
    return UsageError(
        "unknown family {given!r}: none of the {count:,} there are has a name like it", given=given, count=len(known)
    )
