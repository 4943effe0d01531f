"""Text in the encoding that a game already has, so that one file never holds two."""

import re
import unicodedata

from db.wording.languages.grammar import Grammar

# Letters and signs that NFKD does not take apart.
_ASCII = str.maketrans(
    {
        "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
        "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i",
        "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "→": "->",
    }
)  # fmt: skip
_ACCENTS = re.compile("[\u0300-\u036f]+")


def ascii_text(text: str) -> str:
    """The text in ASCII: accents dropped (``Légal`` -> ``Legal``), what has no counterpart as ``?``."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_ASCII))
    return _ACCENTS.sub("", plain).encode("ascii", "replace").decode("ascii")


def transliterated(text: str, language: Grammar) -> str:
    """The text with the letters of a language as they are written in ASCII, where that is more than a lost accent."""
    return text.translate({ord(letter): written for letter, written in language.transliterated.items()})


def _latin1_text(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return "".join(letter if ord(letter) < 256 else ascii_text(letter) for letter in composed)


def encode_for(encoding: str, text: str) -> bytes:
    """``text`` as bytes of a game whose encoding is ``ascii``, ``latin-1`` or ``utf-8``; never fails.

    Games of one file may differ in their encodings: an arrow is ``->`` in each of them.
    """
    text = text.replace("→", "->")
    if encoding == "ascii":
        return ascii_text(text).encode("ascii")
    if encoding == "latin-1":
        return _latin1_text(text).encode("latin-1")
    return text.encode("utf-8", "replace")


def folded(text: str) -> str:
    """Two texts that differ only in line breaks and accents are equal when folded."""
    return " ".join(ascii_text(text).split())
