"""Whose reports and whose practice a request may see: everybody's on a private server, one's own on a public one.

On a public server somebody is known by a cookie that is signed and holds his name at lichess and when it ends. The key
lies in a file (`web.token`), so that a session outlasts the server's restart.
"""

import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

from fastapi import Request

from db.games.explorer import BaitGame, PlayedMove
from db.games.players import find_players, players
from trapcore.errors import UsageError
from web.problems import Forbidden
from web.service import Service, service_of

SIGN_IN_FIRST = (
    "this instance is public, and reports and practice belong to one player: sign in with lichess, or run your own"
)

SESSION = "trapline-session"
"""Name of the cookie."""

SESSION_SECONDS = 7 * 86_400
"""After which somebody has to sign in again."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Who asks."""

    name: str | None
    """Name at lichess of who has signed in; None on a private server, where nobody has to."""

    def may_see(self, player: str) -> bool:
        """Whether the reports and the practice of this player are open to who asks."""
        return self.name is None or self.name.casefold() == player.casefold()

    def player(self, wanted: str) -> str:
        """The player that is meant: who has signed in, whatever is ``wanted``, else who is wanted."""
        return wanted if self.name is None else self.name


def is_private(service: Service) -> bool:
    """Whether only the machine's own users reach the server."""
    return service.settings.web.is_private


def can_sign_in(service: Service) -> bool:
    """Whether somebody can sign in: a public server that knows its own address."""
    return service.settings.web.can_sign_in


def profile_of(request: Request) -> Profile | None:
    """Who asks; None if he has to sign in first."""
    if is_private(service_of(request)):
        return Profile(None)
    name = _name(request.cookies.get(SESSION, ""), service_of(request).session_key)
    return None if name is None else Profile(name)


def shown_games(request: Request) -> str | None:
    """Of whose games an answer may tell: None for everybody's, on a private server; else the name of who has signed in,
    and an empty one, for nobody's, where nobody has.
    """
    profile = profile_of(request)
    return "" if profile is None else profile.name


def told_fallers(only: str | None, move: PlayedMove) -> tuple[BaitGame, ...]:
    """Of the games of a bait those that `shown_games` allows."""
    if not only:
        return move.fallers if only is None else ()
    own = only.casefold()
    return tuple(game for game in move.fallers if own in (game.white.casefold(), game.black.casefold()))


def check_player(request: Request, player: str | None) -> None:
    """Raise `Forbidden` if a public server is asked what was seen in the games of a player: his report tells him."""
    if player and not is_private(service_of(request)):
        raise Forbidden("this instance is public, and what was seen in somebody's games is his own; leave `player` out")


def required_profile(request: Request) -> Profile:
    """Who asks. Raises `Forbidden` if he has to sign in first."""
    profile = profile_of(request)
    if profile is None:
        raise Forbidden(SIGN_IN_FIRST)
    return profile


def player_name(service: Service, profile: Profile, wanted: str) -> str:
    """Name of the player that is meant, as the games write it. Raises `UsageError` if there is none."""
    known = players(service.library)
    if profile.name is None:
        (name,) = find_players(known, wanted)
        return name
    own = next((name for name in known if profile.may_see(name)), None)
    if own is None:
        raise UsageError(f"no game of {profile.name} was fetched yet; /report fetches some")
    return own


def session(name: str, key: bytes) -> str:
    """Value of the cookie of somebody who has signed in; ``key`` signs it."""
    content = urlsafe_b64encode(f"{int(time.time()) + SESSION_SECONDS} {name}".encode()).decode()
    return f"{content}.{_signature(content, key)}"


def _name(cookie: str, key: bytes) -> str | None:
    content, _, signature = cookie.partition(".")
    if not hmac.compare_digest(_signature(content, key).encode(), signature.encode()):
        return None
    ends, _, name = urlsafe_b64decode(content).decode().partition(" ")
    return name if int(ends) > time.time() else None


def _signature(content: str, key: bytes) -> str:
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()
