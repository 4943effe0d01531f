"""What commands print: every text that they write to standard output or standard error passes through here."""

from contextlib import suppress

import typer

from trapcore.io.plain_text import harmless, harmless_line

LONGEST_SENTENCE = 2000
"""Most characters of a line of talk: what it quotes may be without end."""


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text, with a line end unless ``nl`` is False, to standard output or (``err``) standard error.

    What a terminal would obey is made harmless.
    """
    typer.echo(harmless(text), nl=nl, err=err)


def say(sentence: str) -> None:
    """One line of talk on standard error, without the middle if it is very long; nothing where that is full."""
    if len(sentence) > LONGEST_SENTENCE:
        half = LONGEST_SENTENCE // 2
        sentence = f"{sentence[:half]} … {sentence[-half:]}"
    with suppress(OSError):
        typer.echo(f"trapline: {harmless_line(sentence)}", err=True)
