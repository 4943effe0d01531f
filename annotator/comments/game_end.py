"""The end of a game between its bytes: where its closing comment goes, and which comment there is one of ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotator.comments.encoding import folded
from annotator.comments.pgn_insert import Edit, Layout, behind_variation, inserted, spliced, without

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
    is_ours: Callable[[str], bool],
) -> list[Edit]:
    """The edits of a game, from one offset into ``data`` to another, and its closing comment, as `with_closing`."""
    start, end = game
    text = spliced(data[start:end], [(a - start, b - start, added) for a, b, added in edits])
    grown = sum(len(added) - (b - a) for a, b, added in edits if a < since)
    closed = with_closing(text, since - start + grown, words, layout, is_ours)
    return list(edits) if closed == text else [(start, end, closed)]


def with_closing(game: bytes, since: int, words: str, layout: Layout, is_ours: Callable[[str], bool]) -> bytes:
    """The text of a game with this closing comment, or without one if it is empty.

    ``since`` is a place behind a main-line move. Comments at the end of the game that ``is_ours`` says are our own are
    taken out. A game without a result at its end stays as it is.
    """
    end = _end(game, since)
    if end is None:
        return game
    texts = [game[start:stop].strip()[1:-1].decode(layout.encoding, "replace") for start, stop in end.comments]
    own = [number for number, text in enumerate(texts) if is_ours(text)]
    is_last = bool(own) and end.comments[own[-1]][1] == end.at
    if len(own) == 1 and is_last and folded(texts[own[0]]) == folded(words):
        return game
    if own:
        game = spliced(game, [without(game, *end.comments[number]) for number in own])
        end = _end(game, since)
        assert end is not None
    return spliced(game, [inserted(["{", *words.split(), "}"], game, end.at, layout)]) if words else game


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
