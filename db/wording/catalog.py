"""Catalog of a language: the texts of the pages, the report and the terminal by their English form, as TOML.

The tables of a file:

- ``[texts]``: a text; its gaps are ``%(name)s``, and a percent sign is ``%%``;
- ``[plurals]``: two forms of a text that counts, for one and for any other number, by the English one for one;
- ``[messages]``: errors and names that pages show, by the template of their `trapcore.errors.Message`, with the same
  gaps, ``{name}``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Catalog:
    """Texts of one language by their English form."""

    texts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, str]]
    messages: Mapping[str, str]
    """Templates by the English one."""


@cache
def catalog(file: str) -> Catalog:
    """Catalog of a file beside this module; an empty one for an empty name."""
    if not file:
        return Catalog({}, {}, {})
    # Comments need none of this, and a command is to begin at once.
    import tomllib
    from importlib import resources

    tables = tomllib.loads(resources.files("db.wording").joinpath(file).read_text("utf-8"))
    return Catalog(
        tables["texts"],
        {english: (one, many) for english, (one, many) in tables["plurals"].items()},
        tables["messages"],
    )
