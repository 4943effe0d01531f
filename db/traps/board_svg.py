"""Boards as SVG: python-chess draws them, here they get a page's colours, arrows, a title and plain attributes.

A picture says the same in words: `described` is its title. `db.wording.boards` says it in any language.
"""

from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

import chess
import chess.svg

from trapcore.errors import PositionError
from trapcore.trees.chess_game import parse_position

_COLOURS = {
    "square light": "#f1eadb",
    "square dark": "#b59f84",
    "square light lastmove": "#e6dc9a",
    "square dark lastmove": "#bfa950",
    "margin": "#4a4238",
    "coord": "#f1eadb",
    # Some of the board shines through.
    "arrow red": "#b3261ed9",
    "arrow green": "#1b7a3dd9",
}
_BAITED = "#b3261e40"  # over the square that the bait goes to
_SVG = "http://www.w3.org/2000/svg"
_CACHED = 2048  # boards of some 30 kB
_NAMES = {chess.KING: "K", chess.QUEEN: "Q", chess.ROOK: "R", chess.BISHOP: "B", chess.KNIGHT: "N", chess.PAWN: ""}

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A board to be shown: what stands on it and what is pointed at."""

    fen: str
    """FEN or EPD; kings may be missing while a position is set up."""
    bait: str = ""
    """UCI, a red arrow; several with commas between, empty for none."""
    killer: str = ""
    """The same in green."""
    last: str = ""
    """UCI of the move that led here, its squares coloured."""
    flipped: bool = False
    """Black below."""
    plain: bool = False
    """Without the letters and digits at the edge."""
    before: str = ""
    """Words that the description begins with: the name of the trap."""


@lru_cache(maxsize=_CACHED)
def draw(picture: Picture) -> bytes:
    """The picture as SVG, UTF-8. Raises `PositionError` for a bad position or move."""
    board = read_board(picture.fen)
    arrows = []
    fill: dict[chess.Square, str] = {}
    for moves, colour in ((picture.bait, "red"), (picture.killer, "green")):
        for text in filter(None, moves.split(",")):
            move = _move(text, picture.fen)
            arrows.append(chess.svg.Arrow(move.from_square, move.to_square, color=colour))
            if colour == "red":
                fill[move.to_square] = _BAITED
    check = board.king(board.turn) if board.king(board.turn) is not None and board.is_check() else None
    text = chess.svg.board(
        board,
        orientation=not picture.flipped,
        lastmove=_move(picture.last, picture.fen) if picture.last else None,
        check=check,
        arrows=arrows,
        fill=fill,
        coordinates=not picture.plain,
        colors=_COLOURS,
    )
    return _without_styles(text, described(board))


@lru_cache(maxsize=12)
def draw_piece(letter: str) -> bytes:
    """One piece as SVG, UTF-8; ``letter`` as in a FEN. Raises `PositionError` for another letter."""
    try:
        piece = chess.Piece.from_symbol(letter)
    except ValueError as error:
        raise PositionError(f"not a piece: {letter!r}; a FEN has PNBRQK and pnbrqk", letter) from error
    name = f"{'White' if piece.color else 'Black'} {chess.piece_name(piece.piece_type)}"
    return _without_styles(chess.svg.piece(piece), name)


def described(board: chess.Board) -> str:
    """``White: Kg1, Qd1, a2; Black: Ke8; White to move``."""
    sides = []
    for colour, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        pieces = [
            f"{name}{chess.square_name(square)}"
            for kind, name in _NAMES.items()
            for square in sorted(board.pieces(kind, colour))
        ]
        sides.append(f"{side}: {', '.join(pieces) or 'nothing'}")
    return "; ".join([*sides, f"{'White' if board.turn else 'Black'} to move"])


def _without_styles(text: str, title: str) -> bytes:
    """The same picture without ``style`` attributes, which a strict content security policy forbids, with a title."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        for declaration in filter(str.strip, element.attrib.pop("style", "").split(";")):
            name, _, value = declaration.partition(":")
            element.set(name.strip(), value.strip())
    for old in root.findall(f"{{{_SVG}}}desc"):
        root.remove(old)
    heading = ElementTree.Element(f"{{{_SVG}}}title")
    heading.text = title
    root.insert(0, heading)
    root.set("role", "img")
    drawn: bytes = ElementTree.tostring(root, encoding="utf-8")
    return drawn


def read_board(fen: str) -> chess.Board:
    """The position, which need not be a legal one; what is legal is read as everywhere."""
    try:
        return parse_position(fen)
    except PositionError:
        try:
            return chess.Board(fen)
        except ValueError as error:
            raise PositionError(f"not a FEN: {error}", fen) from error


def _move(text: str, fen: str) -> chess.Move:
    try:
        return chess.Move.from_uci(text)
    except ValueError as error:
        raise PositionError(f"not a move in UCI: {text!r}", fen) from error
