"""Address at which a game of the library can be seen."""

from collections.abc import Mapping

_LINKS = ("Link", "GameURL")
"""Tags in which chess.com and broadcasts write the address of a game, whose Site is a name."""


def game_address(site: str) -> str | None:
    """Link of a game: its tag Site, if that is a link, and not the name of a town."""
    is_link = site.startswith(("https://", "http://")) and site.isprintable() and " " not in site
    return site if is_link else None


def with_address(tags: Mapping[str, str]) -> Mapping[str, str]:
    """The tags of a game with its address as the Site, where another tag has it."""
    found = next((tags[name] for name in _LINKS if game_address(tags.get(name, ""))), None)
    return tags if found is None or game_address(tags.get("Site", "")) else {**tags, "Site": found}
