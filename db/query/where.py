"""Conditions of a query as SQL. What people write goes into it as values only, never as text of a statement."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.query.query import Query
from db.storage.collation import begins, plain
from db.storage.sighting_rows import BY_KEY
from db.storage.tables import GameRow, SightingRow, TrapRow
from db.traps.trap import plain_san
from db.wording.patterns import theme_filter
from trapcore.errors import Message, UsageError, unknown_name

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_SAN = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?|O-O(-O)?")


def conditions(connection: Connection, query: Query) -> list[ColumnElement[bool]]:
    """What a trap must meet; frequencies, texts and positions are not among it.

    Raises `UsageError` for a family that is not in the library and a bad move.
    """
    given = [(sql, getattr(query, name)) for name, sql in PREDICATES.items()]
    return [*(sql(connection, value) for sql, value in given if value is not None), *_sightings(query)]


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


def _family(connection: Connection, family: str) -> ColumnElement[bool]:
    if connection.scalar(select(literal(1)).where(TrapRow.family == family).limit(1)) is None:
        raise _unknown_family(family, distinct(connection, TrapRow.family))
    return TrapRow.family == family


def opening_condition(connection: Connection, text: str) -> ColumnElement[bool]:
    """That the name of the opening has this text; of a text with colons and commas, each part of it."""
    parts = [part.strip() for part in re.split("[:,]", plain(text))]
    known = distinct(connection, TrapRow.opening)
    return TrapRow.opening.in_([name for name in known if all(part in plain(name) for part in parts)])


def eco_condition(connection: Connection, column: InstrumentedAttribute[str], eco: str) -> ColumnElement[bool]:
    """A code, the beginning of one, or two with a hyphen, of a column that has them."""
    first, _, last = eco.upper().partition("-")
    if last:
        return (column >= first) & or_(column <= last, begins(connection, column, last))
    return column == first if len(first) == 3 else begins(connection, column, first)


def _bait(_: Connection, move: str) -> ColumnElement[bool]:
    uci, san = _read("bait", move)
    return TrapRow.bait == uci if uci else TrapRow.bait_san == san


def _killer(connection: Connection, move: str) -> ColumnElement[bool]:
    uci, san = _read("killer", move)
    # A killer line of one move, or of more.
    line = or_(TrapRow.killer_line == uci, begins(connection, TrapRow.killer_line, f"{uci} "))
    return line if uci else TrapRow.killer_san == san


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


PREDICATES: Mapping[str, Callable[[Connection, Any], ColumnElement[bool]]] = {
    "family": _family,
    "eco": lambda connection, codes: eco_condition(connection, TrapRow.eco, codes),
    "opening": opening_condition,
    "source": lambda connection, text: begins(connection, TrapRow.source, text.strip()),
    "victim": lambda _, side: TrapRow.victim == side,
    "outcome": lambda _, outcome: TrapRow.outcome == outcome,
    "verdict": lambda _, verdict: TrapRow.verdict == verdict,
    "theme": lambda _, theme: TrapRow.themes.like(theme_filter(theme)),
    "min_length": lambda _, moves: TrapRow.length >= moves,
    "max_length": lambda _, moves: TrapRow.length <= moves,
    "bait": _bait,
    "killer": _killer,
}
"""What a trap must meet by the name of the condition, each of a value that is given."""
