"""The account's token: from the environment or from a file of its own, and what must be so before it is used."""

import stat
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.settings import BotSettings
from lichess.token_file import token_of
from service.settings import ServiceSettings
from trapcore.errors import UsageError

PUBLIC = (".lichess.org", ".lichess.dev")
"""Servers on which strangers play by lichess's rules."""


def read_token(settings: BotSettings | ServiceSettings) -> SecretStr | None:
    """The token, or None if there is none. Raises `InputError` for a file that cannot be read or holds none."""
    table = "BOT" if isinstance(settings, BotSettings) else "SERVICE"
    return token_of(
        settings.token,
        settings.token_file,
        variable=f"TRAPLINE_{table}_TOKEN",
        wanted="one word of letters, digits and underscores",
    )


def is_exposed(settings: BotSettings) -> bool:
    """Whether others can read the token file."""
    path = settings.token_file
    if settings.token is not None or path is None or not path.exists():
        return False
    return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def check_coach(settings: BotSettings) -> None:
    """Raise `UsageError` if opponents would be advised where that is against the rules."""
    host = (urlsplit(settings.url).hostname or "").lower().rstrip(".")
    if settings.coach and f".{host}".endswith(PUBLIC):
        raise UsageError(
            f"bot.coach cannot be on at {host}: to warn an opponent during a game is advice, which lichess forbids; "
            "it is for private servers"
        )
