"""Text from elsewhere made harmless for a terminal: names, tags and messages may hold escape sequences."""

import re

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed; with escape, and the one-byte form of its sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of writing
    "\u2028\u2029\ufeff"  # other ends of lines, and a mark that nobody sees
    "\ud800-\udfff"  # halves of characters, which cannot be written
)
_DANGEROUS = re.compile(f"[{_CONTROLS}]")
_IN_A_LINE = re.compile(f"[\t\n{_CONTROLS}]")


def harmless(text: str) -> str:
    """The text with every character that a terminal would obey written as ``\\u001b``; tabs and line ends stay.

    JSON that is treated so means the same as before.
    """
    return _DANGEROUS.sub(_escape, text)


def harmless_line(text: str) -> str:
    """The same for what has to be one line, or one cell of a table: tabs and line ends are written so as well."""
    return _IN_A_LINE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
