"""Groups and who is in them, as the library stores them.

Practice alone knows what a pupil has answered; a group only says whose answers its coach looks at. A pupil is called
as his practice is: by a name as in the games, or by the address of an account.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Row, delete, insert, select, update

from coach.practice.session import find_player
from db.games.accounts import SiteAccount, account_at
from db.library.library import Library
from db.storage.collation import plain
from db.storage.column_types import time_text
from db.storage.tables import GroupMemberRow, GroupRow
from db.traps.trap import slugify
from trapcore.errors import UsageError, unknown_name

LONGEST_NAME = 80
"""Letters of a group's name."""

MOST_GROUPS = 20
"""Groups of one account on a public server."""

MOST_PUPILS = 100
"""Pupils of a group."""

_TOKEN_BYTES = 24  # of the secret of a link


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who is or was in a group."""

    player: str | SiteAccount
    name: str
    """What he is called."""
    since: str
    """UTC, ISO 8601 to the second, as the other times."""
    left: str | None
    """When he left or was removed; None while he is in it."""

    @property
    def key(self) -> str:
        """What his practice is stored under."""
        return str(self.player)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of players."""

    id: int
    slug: str
    name: str
    coach: str
    """Address of the account that made it on a public server; empty for a group made on the library's machine."""
    token: str
    """Secret of the link by which pupils join."""
    assigned: str | None
    """When its exercises were assigned; None if none are."""
    about: str
    """Key of the pattern that was assigned; empty for the pupils' own mistakes of any kind."""
    members: tuple[Member, ...]
    """By name, those who left too."""

    @property
    def pupils(self) -> tuple[Member, ...]:
        """Who is in it."""
        return tuple(each for each in self.members if each.left is None)

    @property
    def gone(self) -> tuple[Member, ...]:
        """Who was in it and left, or was removed."""
        return tuple(each for each in self.members if each.left is not None)

    def has(self, key: str) -> bool:
        """Whether the player whose practice is stored under ``key`` is in it."""
        return any(each.key == key for each in self.pupils)

    def pupil(self, text: str) -> Member:
        """The pupil who is meant by a name, a part of one, or the address of an account. Raises `UsageError`."""
        wanted = plain(text.strip())
        alike = [each for each in self.pupils if wanted and wanted in plain(each.name)]
        for found in (
            [each for each in self.pupils if text in (each.key, each.name)],
            [each for each in alike if plain(each.name) == wanted],
            alike,
        ):
            if len(found) == 1:
                return found[0]
        raise UsageError(
            "{text!r} is no pupil of {group}; its pupils are: {names}",
            text=text,
            group=self.name,
            names="; ".join(each.name for each in self.pupils) or "–",
        )


def groups(library: Library) -> list[Group]:
    """All groups, by name. Raises `LibraryError`."""
    with library.database.read() as connection:
        rows = connection.execute(select(*_COLUMNS)).all()
        members = _members(connection)
    found = [_group(row, members.get(row.id, [])) for row in rows]
    return sorted(found, key=lambda group: (plain(group.name), group.slug))


def find_group(library: Library, text: str) -> Group:
    """The group with this name or slug. Raises `UsageError`, which names the nearest, and `LibraryError`."""
    every = groups(library)
    found = [group for group in every if group.slug == text] or [
        group for group in every if plain(group.name) == plain(text.strip())
    ]
    if len(found) > 1:
        slugs = ", ".join(group.slug for group in found)
        raise UsageError("several groups are called {text!r}; give one of these: {slugs}", text=text, slugs=slugs)
    if not found:
        if not every:
            raise UsageError("there is no group yet; `trapline group create NAME` makes one")
        raise unknown_name("group", text, [group.name for group in every])
    return found[0]


def create_group(library: Library, name: str, coach: SiteAccount | None = None) -> Group:
    """Make a group, of an account on a public server. Raises `UsageError` for a name that cannot be, and
    `LibraryError`."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise UsageError("the name of a group has 1 to {most} letters on one line", most=LONGEST_NAME)
    owner = "" if coach is None else str(coach)
    every = groups(library)
    own = [group for group in every if group.coach == owner]
    if any(plain(group.name) == plain(name) for group in own):
        raise UsageError("there is a group called {name!r} already", name=name)
    if coach is not None and len(own) >= MOST_GROUPS:
        raise UsageError("you have {most} groups, which is the most; delete one first", most=MOST_GROUPS)
    slug = start = slugify(name, "group")[:76]
    number = 1
    while slug in {group.slug for group in every}:
        number += 1
        slug = f"{start}-{number}"
    values = {"slug": slug, "name": name, "coach": owner, "token": _token(), "created": time_text()}
    with library.database.write() as connection:
        connection.execute(insert(GroupRow).values(**values))
    return find_group(library, slug)


def delete_group(library: Library, group: Group) -> None:
    """Remove a group. What its pupils have answered stays in their practice. Raises `LibraryError`."""
    with library.database.write() as connection:
        connection.execute(delete(GroupRow).where(GroupRow.id == group.id))


def renew_link(library: Library, group: Group) -> None:
    """Give a group another secret, so that the old link leads nowhere. Raises `LibraryError`."""
    with library.database.write() as connection:
        connection.execute(update(GroupRow).where(GroupRow.id == group.id).values(token=_token()))


def named_players(library: Library, texts: Iterable[str]) -> list[tuple[str | SiteAccount, str]]:
    """Players as people name them, each with what he is called: by the address of an account, or by a name or a part
    of one, as practice finds it. Raises `UsageError` for a name that nobody or several have, and `LibraryError`."""
    found: list[tuple[str | SiteAccount, str]] = []
    for text in texts:
        account = account_at(text.strip().lower())
        if account is None:
            name = find_player(library, text)
            found.append((name, name))
        else:
            found.append((account, text.strip().rpartition("/")[2]))
    return found


def add_pupils(library: Library, group: Group, players: Iterable[tuple[str | SiteAccount, str]]) -> None:
    """Add players, each with what he is called; who is in the group stays, who left is in it again.

    Raises `UsageError` if there are too many, and `LibraryError`.
    """
    wanted = {str(player): name for player, name in players}
    new = {key: name for key, name in wanted.items() if not group.has(key)}
    if len(group.pupils) + len(new) > MOST_PUPILS:
        raise UsageError("a group has at most {most} pupils", most=MOST_PUPILS)
    with library.database.write() as connection:
        for key, name in new.items():
            row = (GroupMemberRow.group_id == group.id, GroupMemberRow.player == key)
            connection.execute(delete(GroupMemberRow).where(*row))
            values = {"group_id": group.id, "player": key, "name": name, "since": time_text()}
            connection.execute(insert(GroupMemberRow).values(**values))


def remove_pupil(library: Library, group: Group, member: Member) -> None:
    """Have somebody leave a group; the day is kept, and his answers stay in his practice. Raises `LibraryError`."""
    row = (GroupMemberRow.group_id == group.id, GroupMemberRow.player == member.key)
    with library.database.write() as connection:
        connection.execute(update(GroupMemberRow).where(*row).values(left=time_text()))


_COLUMNS = tuple(getattr(GroupRow, name) for name in ("id", "slug", "name", "coach", "token", "assigned", "about"))


def _group(row: Row[tuple[object, ...]], members: Iterable[Member]) -> Group:
    return Group(**row._mapping, members=tuple(members))


def _members(connection: Connection) -> dict[int, list[Member]]:
    found: dict[int, list[Member]] = {}
    columns = [getattr(GroupMemberRow, name) for name in ("group_id", "player", "name", "since", "left")]
    for number, player, name, since, left in connection.execute(select(*columns)):
        account = account_at(player)
        known = player if account is None else SiteAccount(account.site, account.name)
        found.setdefault(number, []).append(Member(known, name, since, left))
    for members in found.values():
        members.sort(key=lambda each: (plain(each.name), each.key))
    return found


def _token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)
