"""Boards, FENs, moves and games as a caller gives them."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import chess
import chess.pgn

from db.traps.trap import read_moves
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.io.streams import open_bytes
from trapcore.trees.chess_game import parse_position

Position: TypeAlias = chess.Board | chess.pgn.GameNode | str
"""A board, a node of a game, or a FEN or EPD."""

Move: TypeAlias = chess.Move | str
"""A move, or its text in SAN or UCI."""

Games: TypeAlias = chess.pgn.GameNode | chess.Board | str | Path
"""A game, any node of it, or a board with the moves that led to it; PGN text; a path to a PGN file."""

_FILE_NAME = re.compile(r"[^\r\n]+\.pgn(\.(gz|bz2|zst))?", re.IGNORECASE)


def board_of(position: Position) -> chess.Board:
    """A new board with the position.

    Raises:
        PositionError: The text is no FEN, nobody can play on in the position, or it is of a chess variant.
        UsageError: The value is no position.
    """
    if isinstance(position, chess.pgn.GameNode):
        position = position.board()
    if isinstance(position, chess.Board):
        if position.uci_variant != "chess":
            raise PositionError("{variant} is not supported", position.fen(), variant=position.uci_variant)
        return parse_position(position.fen())
    if isinstance(position, str):
        return parse_position(position)
    raise UsageError("a position is a chess.Board, a node of a game or a FEN, not {value!r}", value=position)


def move_on(board: chess.Board, move: Move) -> chess.Move:
    """A legal move of the board.

    Raises:
        InputError: The move is not legal there.
        UsageError: The value is no move.
    """
    if not isinstance(move, chess.Move | str):
        raise UsageError("a move is a chess.Move or its text in SAN or UCI, not {value!r}", value=move)
    text = move if isinstance(move, str) else move.uci()
    found = read_moves(board, text, "the move")
    if len(found) != 1:
        raise InputError("{text!r} is not one move", text=text)
    return found[0]


def is_path(games: object) -> bool:
    """Whether the value names a file: a path, or one line of text that ends in ``.pgn`` or ``.pgn.gz``, ``.bz2`` or
    ``.zst``.
    """
    return isinstance(games, Path) or (isinstance(games, str) and _FILE_NAME.fullmatch(games.strip()) is not None)


def text_of(games: str | Path) -> str:
    """The text itself, or that of the file. A file that is not UTF-8 is read as Latin-1.

    Raises:
        InputError: The file cannot be read.
    """
    if isinstance(games, str) and not is_path(games):
        return games
    with open_bytes(Path(games)) as reader:
        data = b"".join(reader)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def games_of(games: Games) -> Iterator[chess.pgn.Game]:
    """Each of the games.

    Raises:
        InputError: A file cannot be read, or there is no game in the text.
        UsageError: The value holds no games.
    """
    if isinstance(games, chess.pgn.GameNode):
        yield games.game()
    elif isinstance(games, chess.Board):
        yield chess.pgn.Game.from_board(games)
    elif isinstance(games, str | Path):
        source = io.StringIO(text_of(games))
        is_empty = True
        while (game := chess.pgn.read_game(source)) is not None:
            if game.variations or game.headers != chess.pgn.Headers():  # python-chess reads any text as a game
                is_empty = False
                yield game
        if is_empty:
            raise InputError("there is no game in the text; a path ends in .pgn, .pgn.gz, .pgn.bz2 or .pgn.zst")
    else:
        raise UsageError("games are a chess.pgn.Game, a board, PGN text or a path, not {value!r}", value=games)
