"""Installed version of trapline."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def installed_version() -> str | None:
    """The version of the package, None if it is not installed; read once, for that takes most of a millisecond."""
    try:
        return version("trapline")
    except PackageNotFoundError:
        return None
