"""The account's token: from the environment or from a file of its own, and what must be so before it is used."""

import stat
from urllib.parse import urlsplit

from pydantic import SecretStr

from trapcore.bot_settings import BotSettings
from trapcore.errors import InputError, UsageError

PUBLIC = (".lichess.org", ".lichess.dev")
"""Servers on which strangers play by lichess's rules."""


def read_token(settings: BotSettings) -> SecretStr | None:
    """The token, or None if there is none. Raises `InputError` for a file that cannot be read or holds none."""
    if settings.token is not None:
        return _checked(settings.token.get_secret_value(), "TRAPLINE_BOT_TOKEN")
    path = settings.token_file
    if path is None:
        return None
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"the token file {path} cannot be read: {reason}") from None
    return _checked(text, str(path))


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


def _checked(text: str, where: str) -> SecretStr:
    token = text.strip()
    if not token or len(token) > 200 or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{where} holds no token: one word of letters, digits and underscores is expected")
    return SecretStr(token)
