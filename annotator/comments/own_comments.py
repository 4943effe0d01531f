"""The mark of the program's own words in a game: ``{ Takes the bait. [%tl 3] }``, where 3 words before it are ours.

It is a command of a comment, as ``[%clk]`` is: readers keep it, and most viewers do not show it. Other programs join
the comments of a move. The number says where our words begin, so that those of the user stay.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.comments.pgn_insert import Block, Edit, without

_MARK = re.compile(rb"\s*\[%tl\s+(\d{1,4})\]")
_SPACE = b" \t\v\f\r\n"
# Tags, lines that % hides, and comments to the end of a line are tokens, because a brace in them begins nothing.
_TOKEN = re.compile(rb"^\[.*|^%.*|;.*|\{[^}]*\}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Words of the program in a text."""

    words: bytes
    """Without the mark."""
    place: int
    """Offset of the brace that they stand in."""
    removal: Edit
    """Takes them out: the whole comment, or only them if there are other words in it."""


def own_block(words: str) -> Block:
    """A comment of ours as atoms. The mark is one with the last word, so that no line begins with it."""
    *before, last = words.split()
    mark = f"[%tl {len(before) + 1}]"
    if before and last.startswith("%"):
        last = f"{before.pop()} {last}"
    return ["{", *before, f"{last} {mark}", "}"]


def own_words(data: bytes) -> Iterator[OwnWords]:
    """The words of the program in the comments of a text, ascending."""
    for token in _TOKEN.finditer(data) if b"[%tl" in data else ():
        if token[0][:1] == b"{":
            yield from _in_brace(data, token.start(), token.end())


def unmarked(comment: bytes) -> bytes:
    """A comment without marks."""
    return _MARK.sub(b"", comment)


def _in_brace(data: bytes, start: int, end: int) -> Iterator[OwnWords]:
    since = start + 1
    for mark in _MARK.finditer(data, since, end - 1):
        before, count = data[since : mark.start()], int(mark[1])
        rest = before.rsplit(None, count)
        if count and len(rest) >= count:  # else somebody has shortened them, and they are his
            begin = since + (len(rest[0]) if len(rest) > count else 0)
            is_whole = not data[start + 1 : begin].strip() and not data[mark.end() : end - 1].strip()
            removal = _whole(data, start, end) if is_whole else (begin, mark.end(), b"")
            yield OwnWords(data[begin : mark.start()], start, removal)
        since = mark.end()


def _whole(data: bytes, start: int, end: int) -> Edit:
    """Takes out a comment, and the whitespace before it unless that ends a paragraph."""
    before = len(data[:start].rstrip(_SPACE))
    return without(data, before if data.count(b"\n", before, start) < 2 else start, end)
