"""Whose reports and whose practice a request may see: everybody's on a private server, one's own on a public one.

On a public server a visitor is an account at lichess, and owns the games that were played there by that account. A
signed cookie holds the account and when the session ends. The key lies in a file (`web.token`), so that a session
outlasts the server's restart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request

from db.games.accounts import NO_ACCOUNT, SiteAccount, has_games, is_account
from db.games.explorer import BaitGame, PlayedMove
from db.games.players import find_players, players
from trapcore.errors import Message, UsageError
from trapline.web.problems import Forbidden
from trapline.web.service import Service, service_of
from trapline.web.token import sign, signed_text

SIGN_IN_FIRST = Message(
    "this instance is public, and reports and practice belong to one player: sign in with lichess, or run your own"
)

SESSION = "trapline-session"
"""Name of the cookie."""

ShownGames = SiteAccount | None
"""Account whose games an answer may show: None for everybody's, on a private server; `NO_ACCOUNT` for nobody's, if
nobody has signed in."""

SESSION_SECONDS = 7 * 86_400
"""After which somebody has to sign in again."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The visitor who asks."""

    account: SiteAccount | None
    """The signed-in visitor; None on a private server, where nobody has to sign in."""

    @property
    def name(self) -> str | None:
        """Name at lichess of the signed-in visitor."""
        return None if self.account is None else self.account.name

    def may_see(self, game: Mapping[str, str]) -> bool:
        """Whether a game with these tags is open to the visitor."""
        whose = self.account
        return whose is None or whose.played(game.get("Site"), game.get("White", ""), game.get("Black", ""))

    def shown_names(self, practised: Sequence[str]) -> list[str]:
        """The players, of all that have practised, as whom the visitor may go on."""
        if self.account is not None:
            return [self.account.name] if str(self.account) in practised else []
        return [name for name in practised if name and not is_account(name)]

    def player(self, wanted: str) -> str:
        """The player that is meant: the signed-in one if there is one, else the ``wanted`` one."""
        return wanted if self.name is None else self.name


def profile_of(request: Request) -> Profile | None:
    """The visitor; None if he has to sign in first."""
    service = service_of(request)
    if service.settings.web.is_private:
        return Profile(None)
    signed_in_at, _, name = signed_text(service.session_key, request.cookies.get(SESSION, "")).partition(" ")
    site = service.settings.web.lichess
    return Profile(SiteAccount(site, name)) if signed_in_at == site else None


def shown_games(request: Request) -> ShownGames:
    """Whose games an answer may show."""
    profile = profile_of(request)
    return NO_ACCOUNT if profile is None else profile.account


def told_fallers(only: ShownGames, move: PlayedMove) -> tuple[BaitGame, ...]:
    """Of the games of a bait those that `shown_games` allows."""
    if only is None:
        return move.fallers
    return tuple(game for game in move.fallers if only.played(game.address, game.white, game.black))


def check_player(request: Request, player: str | None) -> None:
    """Raise `Forbidden` if a public server is asked what was seen in the games of a player: the report shows that."""
    if player and not service_of(request).settings.web.is_private:
        raise Forbidden("this instance is public, and what was seen in somebody's games is his own; leave `player` out")


def required_profile(request: Request) -> Profile:
    """The visitor. Raises `Forbidden` if he has to sign in first."""
    profile = profile_of(request)
    if profile is None:
        raise Forbidden(SIGN_IN_FIRST)
    return profile


def player_of(service: Service, profile: Profile, wanted: str) -> str | SiteAccount:
    """The player that is meant: the signed-in visitor, else the name of the wanted one, as the games write it.

    Raises `UsageError` if there is no game.
    """
    account = profile.account
    if account is None:
        (name,) = find_players(players(service.library), wanted)
        return name
    if not has_games(service.library, account):
        raise UsageError("no game of {name} was fetched yet; /report fetches some", name=account.name)
    return account


def name_of(player: str | SiteAccount) -> str:
    """What a player is called."""
    return player if isinstance(player, str) else player.name


def session(account: SiteAccount, key: bytes) -> str:
    """Value of the cookie of a signed-in visitor; ``key`` signs it."""
    return sign(key, f"{account.site} {account.name}", SESSION_SECONDS)
