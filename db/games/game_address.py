"""Address at which a game of the library can be seen."""


def game_address(site: str) -> str | None:
    """Link of a game: its tag Site, if that is a link, and not the name of a town."""
    is_link = site.startswith(("https://", "http://")) and site.isprintable() and " " not in site
    return site if is_link else None
