"""Themes of losing moves: what each lost to, in lichess's names of puzzle themes."""

from collections.abc import Sequence

from db.games.losing_moves import LostMove
from trapcore.proof.themes import THEMES, line_themes

NAMED = frozenset(THEMES[: THEMES.index("mateIn1")]) - {"defensiveMove", "castling"}
"""Themes that say what happens; those after them say how long it takes, and what is left on the board. That a move of
the line also defends, or castles, says nothing of why the bait loses."""

_SAME = {"quiet": "quietMove"}
"""Kinds of killers that a theme has the same name for."""


def themes_of(lost: LostMove) -> tuple[str, ...]:
    """What a losing move lost to, see `themes_of_line`."""
    return themes_of_line(lost.epd, (lost.uci, *lost.move.killer_line), lost.move.kind)


def themes_of_line(epd: str, line: Sequence[str], kind: str) -> tuple[str, ...]:
    """Names of what the bait, which begins the line (UCI), loses to, those of `NAMED`; its ``kind`` if it has none.

    To a quiet move it loses only if that is the answer: one that comes later in the line is found when it is its turn.
    """
    names = dict.fromkeys(
        theme.name
        for theme in line_themes(epd, line)
        if theme.name in NAMED and (theme.name != "quietMove" or theme.ply == 1)
    )
    return tuple(names) or (_SAME.get(kind, kind),)
