"""How often the baits were played in the indexed games: by a join of the keys, in either colour."""

from sqlalchemy import Connection, case, func, select

from db.models import OccurrenceRow, PositionRow, TrapRow
from db.sighting import MIRROR, move_code
from db.temptation import Frequency


def frequencies(connection: Connection, slug: str | None = None) -> dict[str, Frequency]:
    """By slug, of one trap or of all; traps whose position did not occur are left out."""
    found: dict[str, Frequency] = {}
    for mirrored in (False, True):
        key = TrapRow.mirror_key if mirrored else TrapRow.key
        matches = select(TrapRow.slug, TrapRow.epd, TrapRow.bait, PositionRow.id).join_from(
            TrapRow, PositionRow, PositionRow.key == key
        )
        if slug is not None:
            matches = matches.where(TrapRow.slug == slug)
        for name, epd, bait, position_id in connection.execute(matches.order_by(TrapRow.id)).all():
            code = move_code(epd, bait) ^ (MIRROR if mirrored else 0)
            counted = select(func.count(), func.sum(case((OccurrenceRow.move == code, 1), else_=0))).where(
                OccurrenceRow.position_id == position_id, OccurrenceRow.move.is_not(None)
            )
            decisions, played = connection.execute(counted).one()
            if decisions:
                before = found.get(name, Frequency(decisions=0, played=0))
                found[name] = Frequency(decisions=before.decisions + decisions, played=before.played + int(played))
    return found
