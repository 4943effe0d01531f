"""The end of a game between its bytes: where its closing comment goes."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.comments.encoding import folded
from annotator.comments.own_comments import OwnWords, own_block
from annotator.comments.pgn_insert import Edit, Layout, behind_variation, in_order, inserted, spliced

_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")
_SPACES = b" \t\v\f\r\n"
_ENDS_TOKEN = _SPACES + b"{(;"


@dataclass(frozen=True, slots=True)
class _End:
    """What stands between the last move of a game and its result."""

    at: int
    """Behind the last token before the result."""
    comments: tuple[tuple[int, int], ...]
    """Comments in braces outside variations: from the end of what stands before to their end."""


def closing_edits(
    edits: Sequence[Edit],
    data: bytes,
    game: tuple[int, int],
    since: int,
    words: str,
    layout: Layout,
    stale: set[OwnWords],
) -> list[Edit]:
    """The edits of a game, from one offset into ``data`` to another, without the words that are ``stale`` in it, and
    with this closing comment if ``words`` is not empty.

    ``since`` is a place behind a main-line move. A game without a result at its end gets no closing comment.
    """
    start, stop = game
    end = _end(data[start:stop], since - start)
    if end is not None:
        comments = [(start + a, start + b) for a, b in end.comments]
        at_end = [own for own in stale if any(a <= own.place < b for a, b in comments)]
        same = [own for own in at_end if folded(own.words.decode(layout.encoding, "replace")) == folded(words)]
        stale.difference_update(sorted(same, key=lambda own: own.removal)[-1:])
        words = "" if same else words
    edits = in_order([*edits, *(own.removal for own in stale)])
    if end is None or not words:
        return edits
    text = spliced(data[start:stop], [(a - start, b - start, added) for a, b, added in edits])
    grown = sum(len(added) - (b - a) for a, b, added in edits if a < since)
    closed = with_closing(text, since - start + grown, words, layout)
    return edits if closed == text else [(start, stop, closed)]


def with_closing(game: bytes, since: int, words: str, layout: Layout) -> bytes:
    """The text of a game with this closing comment before its result, if it has one and says it not already."""
    end = _end(game, since)
    if end is None:
        return game
    texts = (game[start:stop].strip()[1:-1].decode(layout.encoding, "replace") for start, stop in end.comments)
    if any(folded(text) == folded(words) for text in texts):
        return game
    return spliced(game, [inserted([own_block(words)], game, end.at, layout)])


def _end(game: bytes, since: int) -> _End | None:
    """The end of a game whose moves go on at ``since``; None if there is no result, or something is not closed."""
    at = before = since
    comments: list[tuple[int, int]] = []
    while at < len(game):
        letter = game[at : at + 1]
        if letter in _SPACES:
            at += 1
        elif letter == b"{":
            closed = game.find(b"}", at) + 1
            if not closed:
                return None
            comments.append((before, closed))
            at = before = closed
        elif letter == b"(":
            at = before = behind_variation(game, at, len(game))
        elif letter == b";" or (letter == b"%" and game[at - 1 : at] == b"\n"):
            line_end = game.find(b"\n", at)
            at = before = len(game) if line_end < 0 else line_end + 1
        else:
            token_end = next((end for end in range(at, len(game)) if game[end] in _ENDS_TOKEN), len(game))
            if game[at:token_end] in _RESULTS:
                return _End(before, tuple(comments))
            comments.clear()
            at = before = token_end
    return None
