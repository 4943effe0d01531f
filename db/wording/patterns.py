"""Names of patterns: what a line without a name of its own does, as ``Fork with the knight on f7``."""

import re
from collections.abc import Collection, Sequence

import chess

from db.wording.languages.english import ENGLISH
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
