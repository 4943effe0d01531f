"""Boards in words, for people who do not see them."""

from functools import lru_cache

import chess

from db.traps.board_svg import Picture, read_board
from db.wording.languages.grammar import Grammar


def picture_words(picture: Picture, language: Grammar) -> str:
    """What a picture points at, and who is to move; shorter than `described`."""
    words = [picture.before or language.text("Board"), _to_move(_turn(picture.fen), language)]
    if picture.last:
        words.append(language.text("last move %(from_)s to %(to)s", from_=picture.last[:2], to=picture.last[2:4]))
    arrows = (
        ("red arrow for the bait from %(from_)s to %(to)s", picture.bait),
        ("green arrow for the killer from %(from_)s to %(to)s", picture.killer),
    )
    for arrow, moves in arrows:
        words += [language.text(arrow, from_=move[:2], to=move[2:4]) for move in moves.split(",") if move]
    return ", ".join(words)


def described(board: chess.Board, language: Grammar) -> str:
    """``White: king g1, queen d1, pawn a2; Black: king e8; White to move``."""
    sides = []
    for colour in chess.COLORS:
        pieces = [
            f"{language.text(chess.piece_name(kind))} {chess.square_name(square)}"
            for kind in reversed(chess.PIECE_TYPES)
            for square in sorted(board.pieces(kind, colour))
        ]
        sides.append(f"{language.sides[colour]}: {', '.join(pieces) or language.text('nothing')}")
    return "; ".join([*sides, to_move(board, language)])


def to_move(board: chess.Board, language: Grammar) -> str:
    """``White to move``."""
    return _to_move(board.turn, language)


def _to_move(turn: chess.Color, language: Grammar) -> str:
    return language.text("%(side)s to move", side=language.sides[turn])


@lru_cache(maxsize=4096)
def _turn(fen: str) -> chess.Color:
    return read_board(fen).turn


def square_words(board: chess.Board, square: chess.Square, language: Grammar) -> str:
    """A square with what stands on it: ``e4, white pawn``."""
    piece = board.piece_at(square)
    held = language.text("empty") if piece is None else piece_words(piece, language)
    return f"{chess.square_name(square)}, {held}"


def piece_words(piece: chess.Piece, language: Grammar) -> str:
    """``white knight``."""
    return language.text(f"{'white' if piece.color else 'black'} {chess.piece_name(piece.piece_type)}")
