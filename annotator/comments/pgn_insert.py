"""Where blocks go between the bytes of a game, and how one is taken out: spaces, line ends, the 80th column."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from annotator.comments.encoding import encode_for
from trapcore import _native

Block = Sequence[str]
"""One comment or variation as atoms: a line may break between two of them, never inside one."""

Edit = tuple[int, int, bytes]
"""Bytes from an offset to another, and what stands in their place."""

LINE_COLUMNS = 79
"""Longest line that is written. The PGN standard asks for fewer than 80 columns in export format."""

_SPACES = b" \t\v\f"
_LINE_ENDS = b"\r\n"
_FIRST_IN_LINE = b"%["
"""What means something else at the beginning of a line: there ``%`` hides the line, and ``[`` may begin a game."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a game is written down."""

    wrapped: bool
    """Its moves are broken into lines."""
    newline: str
    encoding: str
    """``ascii``, ``utf-8`` or ``latin-1``."""


@dataclass(slots=True)
class MoveText:
    """What is to be added to one move."""

    anchor: _native.Anchor
    nag: int | None = None
    comments: list[Block] = field(default_factory=list)
    variations: list[Block] = field(default_factory=list)
    next_number: str = ""
    """Move number to write before the next main-line move, e.g. ``5...``, if it stands there without one."""


def spliced(data: bytes, edits: Iterable[Edit]) -> bytes:
    """``data`` with ``edits`` made, whose offsets ascend."""
    parts = []
    at = 0
    for start, end, text in edits:
        parts += [data[at:start], text]
        at = end
    return b"".join([*parts, data[at:]])


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits by their offsets: what is taken out before a place goes first, what is put in behind a move before all."""
    return sorted(edits, key=lambda edit: (edit[0], edit[1]))


def edits(text: MoveText, data: bytes, layout: Layout) -> Iterator[Edit]:
    """What to put into ``data`` for one move, ascending. No blank line comes into being, because that ends a game."""
    anchor = text.anchor
    blocks_follow = (bool(text.comments) and anchor.comment_at == anchor.nag_at) or (
        bool(text.variations) and anchor.variation_at == anchor.nag_at
    )
    if text.nag is not None:
        glued = anchor.nag_at < len(data) and data[anchor.nag_at] not in _SPACES + _LINE_ENDS
        nag = f" ${text.nag}{' ' if glued and not blocks_follow else ''}"
        yield anchor.nag_at, anchor.nag_at, nag.encode("ascii")
    blocks = {anchor.comment_at: list(text.comments)}
    blocks.setdefault(anchor.variation_at, []).extend(text.variations)
    for at, group in blocks.items():
        if group:
            yield inserted(group, data, at, layout)
    # A Black move needs its number again after a comment or a variation, whether ours or one already there.
    if text.next_number and (text.comments or text.variations):
        place = _next_token(data, anchor.variation_at)
        yield place, place, f"{text.next_number} ".encode("ascii")


def inserted(blocks: Sequence[Block], data: bytes, at: int, layout: Layout) -> Edit:
    """What to insert into ``data`` for comments and variations behind the last token, which ends ``at`` there."""
    return (_on_own_lines if layout.wrapped else _in_line)(blocks, data, at, layout)


def without(data: bytes, start: int, end: int) -> Edit:
    """How a block is taken out that begins at ``start``, with the whitespace before it, and ends at ``end``."""
    line_end = data[start - 1 : start] in (b"", b"\n") and data[end : end + 1] in (b"\r", b"\n")
    after = end + (len(b"\r\n") if data[end : end + 2] == b"\r\n" else 1) if line_end else end
    glued = not line_end and after < len(data) and data[after] not in _SPACES + _LINE_ENDS
    return start, after, b" " if glued else b""


def behind_variation(data: bytes, at: int, end: int) -> int:
    """Where a variation ends that begins at ``at``; ``end`` if it is not closed before."""
    depth = 0
    while at < end:
        letter = data[at : at + 1]
        depth += (letter == b"(") - (letter == b")")
        at = data.index(b"}", at) + 1 if letter == b"{" else at + 1
        if depth == 0:
            break
    return at


def _in_line(blocks: Sequence[Block], data: bytes, at: int, layout: Layout) -> Edit:
    text = " ".join(" ".join(block) for block in blocks)
    if at > 0 and data[at - 1] not in _SPACES + _LINE_ENDS:
        text = f" {text}"
    if at < len(data) and data[at] not in _SPACES + _LINE_ENDS:
        text += " "
    return at, at, encode_for(layout.encoding, text)


def _on_own_lines(blocks: Sequence[Block], data: bytes, at: int, layout: Layout) -> Edit:
    newline = layout.newline
    text = newline.join(line for block in blocks for line in _wrapped(block))
    if at > 0 and data[at - 1] not in _LINE_ENDS:
        text = newline + text
    after = at
    while after < len(data) and data[after] in _SPACES:
        after += 1
    if after == len(data) or data[after] in _LINE_ENDS:
        return at, at, encode_for(layout.encoding, text)  # a line end of ours before that one would make a blank line
    if data[after] in _FIRST_IN_LINE:
        return _in_line(blocks, data, at, layout)
    # The rest of the line goes to a line of its own, and the space before it stays where it was.
    return after, after, encode_for(layout.encoding, text + newline)


def _next_token(data: bytes, at: int) -> int:
    """Where the next token begins: behind whitespace, and behind lines that a ``%`` at their beginning hides."""
    while at < len(data):
        if data[at] == ord("%") and data[at - 1 : at] in (b"", b"\n"):
            line_end = data.find(b"\n", at)
            at = len(data) if line_end < 0 else line_end
        elif data[at] in _SPACES + _LINE_ENDS:
            at += 1
        else:
            break
    return at


def _wrapped(block: Block) -> Iterator[str]:
    line = ""
    for atom in block:
        if line and len(line) + 1 + len(atom) > LINE_COLUMNS and atom[0] not in _FIRST_IN_LINE.decode("ascii"):
            yield line
            line = atom
        else:
            line = f"{line} {atom}" if line else atom
    if line:
        yield line
