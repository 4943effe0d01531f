"""What commands print: every text that they write to standard output or standard error passes through here."""

from contextlib import suppress

import typer

from trapcore.io.plain_text import harmless, harmless_line


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text, with a line end unless ``nl`` is False, to standard output or (``err``) standard error.

    What a terminal would obey is made harmless.
    """
    typer.echo(harmless(text), nl=nl, err=err)


def say(sentence: str) -> None:
    """One line of talk on standard error; nothing where that is full."""
    with suppress(OSError):
        typer.echo(f"trapline: {harmless_line(sentence)}", err=True)
