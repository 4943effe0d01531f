"""Themes of a line that punishes a move, named as lichess names the themes of its puzzles.

`line_themes` says what a line does to the victim, each theme with what it rests on:

>>> line = ["g8f6", "h5f7"]
>>> fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
>>> [(theme.name, theme.ply, theme.by, theme.targets) for theme in line_themes(fen, line)][:2]
[('attackingF2F7', 1, 'f7', ('f7',)), ('mate', 1, 'f7', ('e8',))]

The predicates are in the Rust core (``native/src/themes``), one for each of the names in `THEMES`. Source of the names:
https://lichess.org/training/themes. What each theme is, what its targets are, and how well it agrees with lichess's own
tags, see ``docs/research/themes.md``.
"""

from collections.abc import Sequence

from trapcore import _native
from trapcore._native import THEMES as THEMES
from trapcore._native import LineTheme as LineTheme
from trapcore.parallel.budget import Cancellation


def line_themes(
    fen: str, moves: Sequence[str], *, zugzwang_nodes: int = 0, stop: Cancellation | None = None
) -> tuple[LineTheme, ...]:
    """The themes of a line, in the order of `THEMES`.

    ``fen`` is the position before the bait, ``moves`` (UCI) the bait and the line that punishes it: the attacker plays
    the moves with an odd index. Where the victim has the last move, it counts for nothing. Zugzwang alone needs a
    search: it is searched for with ``zugzwang_nodes`` nodes of each search (20,000 agree well with lichess), and not at
    all with 0; ``stop`` ends these. Raises ``PositionError`` for a bad FEN and for a move that is not legal
    after those before it, which it names, and ``InputError`` for a line of fewer than two moves.
    """
    return tuple(_native.line_themes(fen, moves, zugzwang_nodes, stop))
