"""Stored positions that differ from the asked one in their castling rights only.

Diagrams and many FENs found in the wild lack the rights, and a position without them is another one.
"""

from collections.abc import Sequence
from itertools import combinations

from sqlalchemy import ColumnElement, Connection, or_, select

from db.storage.tables import TrapRow
from trapcore import _native

_RIGHTS = tuple("".join(letters) or "-" for count in range(5) for letters in combinations("KQkq", count))


def other_castling(connection: Connection, epd: str, wanted: Sequence[ColumnElement[bool]]) -> tuple[str, ...]:
    """The castling fields with which traps that meet ``wanted`` have this position, in either colour; ``-`` for none.

    ``epd`` is canonical, and its own rights are left out. Few rights last.
    """
    pieces, side, own, en_passant = epd.split(" ")
    keys: dict[bytes, str] = {}
    for rights in reversed(_RIGHTS):
        # A right without its king or rook in place is dropped, so that some of these are one position.
        other = _native.epd(f"{pieces} {side} {rights} {en_passant}")
        if (field := other.split(" ")[2]) != own:
            keys.setdefault(_native.position_key(other), field)
    stored = select(TrapRow.key, TrapRow.mirror_key).where(
        or_(TrapRow.key.in_(keys), TrapRow.mirror_key.in_(keys)), *wanted
    )
    there = {key for pair in connection.execute(stored) for key in pair}
    return tuple(field for key, field in keys.items() if key in there)
