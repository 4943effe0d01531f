"""Accounts at the sites where games were played: an account is a site and an id there, never a name alone.

Anybody may have the same name at another site, or write it into a file. A game belongs to an account if its address is
at the site and one side has the account's id.
"""

import re
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, false, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.library.library import Library
from db.storage.tables import GameRow

_LEAST_ID, _MOST_ID = 8, 12
"""Letters and digits of a game's id in its address: lichess writes 8, and 12 for a player's own view."""


@dataclass(frozen=True, slots=True)
class SiteAccount:
    """An account; as a text its address, which no other account has."""

    site: str
    """``https://lichess.org``, without a slash at the end."""
    name: str
    """As the site writes it, in ASCII; empty for an account that has no games, see `NO_ACCOUNT`."""

    @property
    def id(self) -> str:
        """The name in small letters, which is what the site knows it by."""
        return self.name.lower()

    def __str__(self) -> str:
        """``https://lichess.org/@/thibault``."""
        return f"{self.site}/@/{self.id}"

    def has_name(self, name: str) -> bool:
        """Whether a player's name in a game at the site is this account's."""
        return bool(self.id) and name.isascii() and name.lower() == self.id

    def played(self, address: str | None, white: str, black: str) -> bool:
        """Whether this account played the game at this address (the tag Site) between players with these names."""
        if address is None or not (self.has_name(white) or self.has_name(black)):
            return False
        game = address.removeprefix(f"{self.site}/")
        return game != address and re.fullmatch(rf"[^/]{{{_LEAST_ID},{_MOST_ID}}}", game) is not None

    def games(self) -> ColumnElement[bool]:
        """The same as a condition on `GameRow`."""
        if not self.id:
            return false()
        start = f"{self.site}/"
        game = func.substr(GameRow.site, len(start) + 1)
        return and_(
            func.substr(GameRow.site, 1, len(start)) == start,
            func.length(game).between(_LEAST_ID, _MOST_ID),
            game.not_like("%/%"),
            or_(self.is_named(GameRow.white), self.is_named(GameRow.black)),
        )

    def is_named(self, name: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
        """`has_name` as a condition on a column."""
        # Both cases: letters outside ASCII that become ASCII ones in one case do not in the other.
        return and_(func.lower(name) == self.id, func.upper(name) == self.id.upper())


def account_at(text: str) -> SiteAccount | None:
    """The account with this address, see `SiteAccount`; None if the text is a name."""
    found = re.fullmatch(r"(https?://[^/\s]+)/@/([a-z0-9_-]+)", text)
    return None if found is None else SiteAccount(found[1], found[2])


def is_account(text: str) -> bool:
    """Whether a text is the address of an account, and no name."""
    return account_at(text) is not None


NO_ACCOUNT = SiteAccount("", "")
"""Has no game."""


def has_games(library: Library, account: SiteAccount) -> bool:
    """Whether the library has a game of the account. Raises `LibraryError`."""
    with library.database.read() as connection:
        return connection.scalar(select(GameRow.id).where(account.games()).limit(1)) is not None
