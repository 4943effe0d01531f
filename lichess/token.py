"""The account's token: from the environment or from a file of its own."""

import stat
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from trapcore.io.token_file import token_of


class TokenSource(Protocol):
    """Section of the settings that names a token or a file of one."""

    @property
    def token_variable(self) -> str:
        """Name of the environment variable that gives the token."""

    @property
    def token(self) -> SecretStr | None:
        """The token from the environment."""

    @property
    def token_file(self) -> Path | None:
        """File that holds the token and nothing else."""


def read_token(settings: TokenSource) -> SecretStr | None:
    """The token, or None if there is none. Raises `InputError` for a file that cannot be read or holds none."""
    return token_of(
        settings.token,
        settings.token_file,
        variable=settings.token_variable,
        wanted="one word of letters, digits and underscores",
        letters="A-Za-z0-9_",
    )


def is_exposed(settings: TokenSource) -> bool:
    """Whether others can read the token file."""
    path = settings.token_file
    if settings.token is not None or path is None or not path.exists():
        return False
    return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
