"""What the tables of the settings share: what an unknown name is, and how paths and addresses of servers are read."""

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, field_validator


class TableSettings(BaseModel):
    """A table: frozen, without unknown names; ``~`` in a path is the user's home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _home(cls, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(_at_home, value))
        return _at_home(value)

    @field_validator("url", check_fields=False)
    @classmethod
    def _is_url(cls, url: str) -> str:
        if not re.fullmatch(r"https?://[^/\s@]+/?", url):
            raise ValueError("it must be like https://lichess.org or http://127.0.0.1:9663")
        return url.rstrip("/")


def data_folder() -> Path:
    """The folder of the default library."""
    # At the top it would be a circle: the settings are made of the tables.
    from trapline.settings import default_library

    return default_library().parent


def _at_home(value: object) -> object:
    return value.expanduser() if isinstance(value, Path) else value
