"""Names of patterns: what a line without a name of its own does, as ``Fork with the knight on f7``."""

import re
from collections.abc import Collection, Sequence

import chess

from db.traps.terms import THEME
from db.wording.causes import bare_piece
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from db.wording.names import theme_name
from trapcore.errors import unknown_name
from trapcore.proof.themes import LineTheme, line_themes
from trapcore.trees.chess_game import parse_position

PATTERNS = (
    # The mates by their shape, then the tactics, then what both are made of; the first one that a line has names it.
    "smotheredMate",
    "anastasiaMate",
    "arabianMate",
    "balestraMate",
    "blindSwineMate",
    "bodenMate",
    "cornerMate",
    "doubleBishopMate",
    "dovetailMate",
    "epauletteMate",
    "hookMate",
    "killBoxMate",
    "morphysMate",
    "operaMate",
    "pillsburysMate",
    "swallowstailMate",
    "triangleMate",
    "vukovicMate",
    "backRankMate",
    "attackingF2F7",
    "trappedPiece",
    "hangingPiece",
    "fork",
    "skewer",
    "pin",
    "doubleCheck",
    "discoveredCheck",
    "discoveredAttack",
    "xRayAttack",
    "deflection",
    "attraction",
    "interference",
    "intermezzo",
    "clearance",
    "capturingDefender",
    "enPassant",
    "underPromotion",
    "promotion",
    "zugzwang",
    "sacrifice",
    "exposedKing",
)
"""Themes that name a line, in lichess's names of themes."""

_LINKS = {"sacrifice": "of", "hangingPiece": "taken by", "trappedPiece": "", "exposedKing": "", "attackingF2F7": "by"}


def pattern_of(epd: str, line: Sequence[str], tags: Collection[str] = ()) -> tuple[str, str]:
    """The family and the name of a line (UCI, the bait first): ``fork``, ``Fork with the knight on f7``.

    ``tags`` are themes that somebody else has found; where one of them is a pattern, it counts before ours. A line of
    no pattern is of the family ``mate`` or ``tactics``, and named by the move that ends it or by its first answer.
    Raises `PositionError` for a bad position and for moves that are not legal.
    """
    themes = {theme.name: theme for theme in line_themes(epd, line)}
    pattern = next((name for name in PATTERNS if name in tags), None) or next(
        (name for name in PATTERNS if name in themes), None
    )
    boards = [parse_position(epd)]
    for uci in line:
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push_uci(uci)
    if pattern is not None:
        words = ENGLISH.theme_names[pattern][0] if pattern in ENGLISH.theme_names else pattern
        return _slug(pattern), words[:1].upper() + words[1:] + _by(boards, themes.get(pattern))
    # The attacker has every second move from the first answer on.
    last = len(line) - 1 if len(line) % 2 == 0 else len(line) - 2
    moves = (last + 1) // 2
    if boards[last + 1].is_checkmate():
        return "mate", ("Mate" if moves == 1 else f"Mate in {moves}") + _with(boards[last + 1], line[last])
    return "tactics", "Gain of material" + _with(boards[2], line[1])


THEMES = (*PATTERNS, "mate", "captured")
"""Themes that a trap is found by; ``captured`` are the pieces that the attacker takes."""


def theme_keys(epd: str, line: Sequence[str]) -> str:
    """What a line (UCI, the bait first) does, as `theme_filter` finds it: `` fork:N@c7>K@e8 fork:N@c7>R@a8 ``.

    One key a target, with ``-`` for what is not there.
    """
    boards = [parse_position(epd)]
    for uci in line:
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push_uci(uci)
    taken = [boards[ply].piece_type_at(chess.parse_square(uci[2:4])) or 0 for ply, uci in enumerate(line)]
    found = []
    for ply in range(1, len(line), 2):
        square = line[ply][2:4]
        # What is taken on the same square just before or after is a trade.
        given = max(
            [taken[near] for near in (ply - 1, ply + 1) if line[near : near + 1] and line[near][2:4] == square],
            default=0,
        )
        if taken[ply] > given:
            found.append(f"captured:{_at(boards[ply + 1], square)}>{_at(boards[ply], square)}")
    for theme in line_themes(epd, line):
        if theme.name in THEMES:
            after = boards[theme.ply + 1]
            found += [
                f"{theme.name}:{_at(after, theme.by)}>{_at(after, target)}" for target in theme.targets or (None,)
            ]
    return f" {' '.join(dict.fromkeys(found))} "


def theme_filter(theme: str) -> str:
    """The LIKE pattern of the keys of a theme that is asked for, see `THEME`. Raises `UsageError` for none of ours."""
    asked = _theme_parts(theme)
    by, on, target, at = (
        asked[part] or blank for part, blank in zip(("by", "on", "target", "at"), "____", strict=True)
    )
    return f"% {asked['theme']}:{by}@{on.ljust(2, '_')}>{target}@{at.ljust(2, '_')} %"


def theme_words(theme: str, language: Grammar = ENGLISH) -> str:
    """A theme that is asked for, in words: ``knight fork on c7``."""
    asked = _theme_parts(theme)
    what = language.text("capture") if asked["theme"] == "captured" else theme_name(asked["theme"], language)
    by, target = (
        bare_piece(chess.Piece.from_symbol(letter).piece_type, language) if letter else ""
        for letter in (asked["by"], asked["target"])
    )
    square = asked["on"] or asked["at"] or ""
    if by and square:
        what = language.text("%(piece)s %(theme)s on %(square)s", piece=by, theme=what, square=square)
        by = square = ""
    return ", ".join(filter(None, (f"{by} {what}".strip(), target, square)))


def _theme_parts(theme: str) -> re.Match[str]:
    asked = THEME.fullmatch(theme)
    if asked is None or asked["theme"] not in THEMES:
        raise unknown_name("theme", theme.partition(":")[0], THEMES)
    return asked


def _at(board: chess.Board, square: str | None) -> str:
    """``N@c7``; ``-@--`` without a square."""
    piece = None if square is None else board.piece_at(chess.parse_square(square))
    return f"{'-' if piece is None else piece.symbol().upper()}@{square or '--'}"


def _slug(theme: str) -> str:
    """``smotheredMate`` as ``smothered-mate``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=F2F7)", "-", theme).lower()


def _by(boards: Sequence[chess.Board], theme: LineTheme | None) -> str:
    if theme is None or theme.by is None:
        return ""
    return _piece(boards[theme.ply + 1], theme.by, _LINKS.get(theme.name, "with"))


def _with(board: chess.Board, uci: str) -> str:
    return _piece(board, uci[2:4], "with")


def _piece(board: chess.Board, square: str, link: str) -> str:
    """`` with the knight on f7``; empty where no piece stands, and for an empty ``link``."""
    kind = board.piece_type_at(chess.parse_square(square))
    return "" if kind is None or not link else f" {link} {ENGLISH.the_piece[kind]} on {square}"
