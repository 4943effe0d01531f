"""An annotated game as a viewer shows it: moves with their comments, variations and arrows."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import chess.pgn

from trapcore.errors import InputError
from web.pages.boards import Picture
from web.pages.line_viewer import move_number

_COMMANDS = re.compile(r"\[%[^\]]*\]")
_SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of the main line, or the beginning of the game."""

    ply: int
    """0 is the beginning."""
    number: str
    """``5.`` where it is White's move or the line begins with Black's, else empty."""
    san: str
    """With its sign: ``Bxd1??``; empty at the beginning."""
    words: tuple[str, ...]
    """Comment and variations after it."""
    picture: Picture


@dataclass(frozen=True, slots=True)
class GameView:
    """A game to step through."""

    tags: dict[str, str]
    plies: tuple[Ply, ...]


def view_game(text: bytes, encoding: str, *, flipped: bool) -> GameView:
    """The game of a PGN text; raises `InputError` if there is none in it."""
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
    words = [_words(node.comment)]
    if before is not None:
        assert node.move is not None
        board = before.board()
        number = move_number(board, before.parent is None)
        san = board.san(node.move) + next((sign for nag, sign in _SIGNS.items() if nag in node.nags), "")
        # PGN writes other moves in this place after the move of the main line.
        words += [_variation(board, other) for other in before.variations[1:]]
    red = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "red"]
    green = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "green"]
    picture = Picture(
        fen=node.board().fen(),
        last="" if node.move is None else node.move.uci(),
        bait=_arrows(red),
        killer=_arrows(green),
        flipped=flipped,
    )
    return Ply(ply, number, san, tuple(filter(None, words)), picture)


def _arrows(arrows: list[chess.svg.Arrow]) -> str:
    named = (f"{chess.square_name(arrow.tail)}{chess.square_name(arrow.head)}" for arrow in arrows)
    return ",".join(dict.fromkeys(named))


def _words(comment: str) -> str:
    """A comment without the commands for arrows and clocks."""
    return " ".join(_COMMANDS.sub(" ", comment).split())


def _variation(board: chess.Board, first: chess.pgn.ChildNode) -> str:
    """The main line of a variation with its comments: ``(6.Bxf7+ Ke7 7.Nd5#)``."""
    return f"({' '.join(_moves(board.copy(stack=False), first))})"


def _moves(board: chess.Board, node: chess.pgn.ChildNode | None) -> Iterator[str]:
    first = True
    while node is not None:
        yield f"{move_number(board, first)}{board.san_and_push(node.move)}"
        if words := _words(node.comment):
            yield f"[{words}]"
        first = bool(words)
        node = node.next()
