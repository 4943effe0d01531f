"""Base class of a section of the settings, and the folders of this operating system for data and caches."""

import re
from pathlib import Path

import platformdirs
from pydantic import BaseModel, ConfigDict, field_validator

from trapcore.errors import UsageError


class Section(BaseModel):
    """Section of the settings: frozen, without unknown names; ``~`` in a path is the user's home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _home(cls, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(_at_home, value))
        return _at_home(value)

    @field_validator("url", "explorer_url", "tablebase_url", "database_url", check_fields=False)
    @classmethod
    def _is_url(cls, url: str) -> str:
        if not re.fullmatch(r"https?://[^/\s@]+/?", url):
            raise ValueError("it must be like https://lichess.org or http://127.0.0.1:9663")
        return url.rstrip("/")


def data_folder() -> Path:
    """Folder of the default library: the place for user data of this operating system; it need not exist."""
    return platformdirs.user_data_path("trapline", appauthor=False)


def cache_folder() -> Path:
    """Folder for files that can be made again; it need not exist."""
    return platformdirs.user_cache_path("trapline", appauthor=False)


def at_home(path: Path) -> Path:
    """The path with the home of a user in the place of ``~``. Raises `UsageError` if nobody knows that home."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise UsageError(f"{path}: there is no home of that user; write the path out, or set HOME") from None


def _at_home(value: object) -> object:
    return at_home(value) if isinstance(value, Path) else value
