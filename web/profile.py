"""Whose reports and whose practice a request may see: everybody's on a private server, one's own on a public one."""

from dataclasses import dataclass

from fastapi import Request

from web.problems import Forbidden
from web.service import Service, service_of

SIGN_IN_FIRST = (
    "this server is public, and reports and practice belong to one player: sign in with lichess, or run your own server"
)
RUN_YOUR_OWN = (
    "this server is public and has no sign-in, and reports and practice belong to one player: run your own server"
)


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
    web = service.settings.web
    return web.is_loopback and not web.public


def profile_of(request: Request) -> Profile | None:
    """Who asks; None if he has to sign in first."""
    return Profile(None) if is_private(service_of(request)) else None


def required_profile(request: Request) -> Profile:
    """Who asks. Raises `Forbidden` if he has to sign in first."""
    profile = profile_of(request)
    if profile is None:
        raise Forbidden(SIGN_IN_FIRST)
    return profile
