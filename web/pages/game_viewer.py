"""Annotated game for the viewer: moves with their comments, variations and arrows."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import chess.pgn

from trapcore.errors import InputError
from web.pages.boards import Picture
from web.pages.line_viewer import move_number

_COMMENT_COMMANDS = re.compile(r"\[%[^\]]*\]")
_NAG_SYMBOLS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


@dataclass(frozen=True, slots=True)
class Ply:
    """Move of the main line, or the beginning of the game."""

    ply: int
    """Half-moves played; 0 at the beginning."""
    number: str
    """``5.`` where it is White's move or the line begins with Black's, else empty."""
    san: str
    """With its sign: ``Bxd1??``; empty at the beginning."""
    comments: tuple[str, ...]
    """Comment and variations after the move."""
    picture: Picture


@dataclass(frozen=True, slots=True)
class GameView:
    """Game to step through."""

    tags: dict[str, str]
    plies: tuple[Ply, ...]


def view_game(text: bytes, encoding: str, *, flipped: bool) -> GameView:
    """First game of a PGN text. Raises `InputError` if there is none."""
    game = chess.pgn.read_game(io.StringIO(text.decode(encoding, "replace")))
    if game is None:
        raise InputError("there is no game in this text")
    plies = [_ply(game, 0, flipped)]
    node: chess.pgn.GameNode = game
    while (following := node.next()) is not None:
        node = following
        plies.append(_ply(node, len(plies), flipped))
    return GameView(dict(game.headers), tuple(plies))


def _ply(node: chess.pgn.GameNode, ply: int, flipped: bool) -> Ply:
    before = node.parent
    number = san = ""
    comments = [_comment_text(node.comment)]
    if before is not None:
        assert node.move is not None
        board = before.board()
        number = move_number(board, before.parent is None)
        san = board.san(node.move) + next((sign for nag, sign in _NAG_SYMBOLS.items() if nag in node.nags), "")
        # PGN writes other moves in this place after the move of the main line.
        comments += [_variation(board, other) for other in before.variations[1:]]
    red = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "red"]
    green = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "green"]
    picture = Picture(
        fen=node.board().fen(),
        last="" if node.move is None else node.move.uci(),
        bait=_arrows(red),
        killer=_arrows(green),
        flipped=flipped,
    )
    return Ply(ply, number, san, tuple(filter(None, comments)), picture)


def _arrows(arrows: list[chess.svg.Arrow]) -> str:
    named = (f"{chess.square_name(arrow.tail)}{chess.square_name(arrow.head)}" for arrow in arrows)
    return ",".join(dict.fromkeys(named))


def _comment_text(comment: str) -> str:
    """Text of a comment without the commands for arrows and clocks."""
    return " ".join(_COMMENT_COMMANDS.sub(" ", comment).split())


def _variation(board: chess.Board, first: chess.pgn.ChildNode) -> str:
    """The main line of a variation with its comments: ``(6.Bxf7+ Ke7 7.Nd5#)``."""
    return f"({' '.join(_moves(board.copy(stack=False), first))})"


def _moves(board: chess.Board, node: chess.pgn.ChildNode | None) -> Iterator[str]:
    first = True
    while node is not None:
        yield f"{move_number(board, first)}{board.san_and_push(node.move)}"
        if text := _comment_text(node.comment):
            yield f"[{text}]"
        first = bool(text)
        node = node.next()
