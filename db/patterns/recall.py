"""The earlier games in which a player fell into a pattern, for what is said of a game that he played later."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import and_, func, or_, select

from db.games.accounts import SiteAccount
from db.games.game_address import game_address
from db.library.library import Library
from db.patterns.keys import Level, Pattern
from db.patterns.like import mistakes_at
from db.patterns.peers import mover_name, of_pattern, opponent_name
from db.storage.tables import GameRow, LosingMoveRow
from db.traps.terms import Side
from db.wording.causes import is_theme

_DAY = re.compile(r"\d{4}\.\d\d\.\d\d")
_MOST = 200
"""Losing moves that are read, the newest ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Earlier games in which the same player fell into the same pattern."""

    key: str
    """Of a place or a mechanism, see `trapcore.proof.causes`."""
    colour: Side
    """Who falls into it now."""
    games: int
    """1 or more."""
    opponent: str
    """In the last of them."""
    date: str
    """Of the last one, as the game has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """A losing move of a game that may be in no library."""

    player: str
    """Who made it, as the game writes the name."""
    site: str
    """Of the game, as its tag has it: players with one name at two sites are two players."""
    date: str
    """Of the game, ``2021.05.03``."""
    colour: Side
    patterns: tuple[Pattern, ...]
    utc_time: str = ""
    """When the game began, ``18:05:00``, so that games of the same day count as well; empty if that is not known."""
    against: str = ""
    """Only games against this player count; empty for any."""


Recall = Callable[[Occasion], Again | None]
"""The earlier games with the same pattern, the closest one that there is; None without any. Raises `LibraryError`."""


def no_recall(_: Occasion) -> Again | None:
    """Remembers nothing: `Recall` without a library."""
    return None


def recall_of(library: Library, only: SiteAccount | None = None) -> Recall:
    """Remembers the losing moves of a library, with ``only`` those of this account in its own games.

    A game without a full date has no earlier ones.
    """

    def recall(occasion: Occasion) -> Again | None:
        if only is not None and not only.played(occasion.site, occasion.player, occasion.player):
            return None
        if occasion.player in ("", "?") or _DAY.fullmatch(occasion.date) is None:
            return None
        wanted = (each for each in occasion.patterns if _is_telling(each))
        return next(filter(None, (_earlier(library, occasion, pattern) for pattern in wanted)), None)

    return recall


def recall_state(library: Library) -> str:
    """Another text whenever the library has other losing moves. Raises `LibraryError`."""
    with library.database.read() as connection:
        games, moves = connection.execute(select(func.max(LosingMoveRow.game_id), func.count(LosingMoveRow.ply))).one()
    return f"{games or 0}/{moves}"


def _is_telling(pattern: Pattern) -> bool:
    """Whether a pattern is close enough to be called the same: that a piece was taken somewhere is not."""
    return pattern.is_idea and (
        pattern.level is Level.PLACE or (pattern.level is Level.MECHANISM and is_theme(pattern.key))
    )


def _earlier(library: Library, occasion: Occasion, pattern: Pattern) -> Again | None:
    before = [GameRow.date < occasion.date]
    if occasion.utc_time:
        same_day = and_(GameRow.date == occasion.date, GameRow.utc_time != "", GameRow.utc_time < occasion.utc_time)
        before = [or_(*before, same_day)]
    if occasion.against:
        before.append(opponent_name() == occasion.against)
    rows = (
        select(LosingMoveRow.game_id, LosingMoveRow.ply, GameRow.date, GameRow.site)
        .join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
        .where(of_pattern(pattern), mover_name() == occasion.player, *before)
        .order_by(GameRow.date.desc(), GameRow.utc_time.desc(), GameRow.id.desc(), LosingMoveRow.ply)
        .limit(_MOST)
    )
    with library.database.read() as connection:
        places = [
            (row.game_id, row.ply)
            for row in connection.execute(rows)
            if _DAY.fullmatch(row.date) is not None and _host(row.site) == _host(occasion.site)
        ]
    told = mistakes_at(library, places)
    found = [told[place] for place in places if place in told]
    if not found:
        return None
    last = found[0]
    return Again(
        key=pattern.key,
        colour=occasion.colour,
        games=len({lost.game.id for lost in found}),
        opponent=last.game.black if last.colour == "white" else last.game.white,
        date=last.game.date,
    )


def _host(site: str) -> str:
    """Where the address of a game lies; empty for a town."""
    address = game_address(site)
    return "" if address is None else urlsplit(address).netloc.lower()
