"""Endings of games: the rest of a game from the first position of few men on."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from hashlib import blake2b

import chess
import chess.pgn

from workshop.coverage.games import Game

MEN = 7
"""An ending begins with so many men, kings and pawns counted."""
LEAST_PLIES = 4
"""A shorter ending is left out: its game ended before anything happened."""


class Part(StrEnum):
    """The two halves of the games. Nothing may be tuned on `TEST`."""

    TRAINING = "training"
    TEST = "test"


def part_of(game: Game) -> Part:
    """The half that a game belongs to, by a digest of its moves."""
    return list(Part)[int(game.key[:8], 16) % 2]


def ending(game: Game, men: int = MEN) -> Game | None:
    """The rest of a game from the first position of at most ``men`` men on; None if that is too short."""
    board = chess.Board(game.start or chess.STARTING_FEN)
    for ply, move in enumerate(game.moves):
        if chess.popcount(board.occupied) <= men:
            rest = game.moves[ply:]
            return _from(game, board, rest) if len(rest) >= LEAST_PLIES else None
        board.push_uci(move)
    return None


def endings(games: Iterable[Game], part: Part, count: int, seed: int = 0) -> list[Game]:
    """At most ``count`` endings of one half of the games. ``seed`` chooses which, for any order of the games."""

    def place(game: Game) -> bytes:
        return blake2b(f"{seed} {game.key}".encode(), digest_size=8).digest()

    found = {game.key: one for game in games if part_of(game) is part and (one := ending(game)) is not None}
    chosen = sorted(found.values(), key=place)[:count]
    return [replace(one, number=number) for number, one in enumerate(chosen, 1)]


def positions(games: Iterable[Game]) -> Iterator[tuple[Game, int, chess.Board, chess.Board]]:
    """Each move of the games with its number from 0, and the positions before and after it."""
    for game in games:
        boards = game.positions()
        for index in range(len(game.moves)):
            yield game, index, boards[index], boards[index + 1]


def _from(game: Game, board: chess.Board, moves: tuple[str, ...]) -> Game:
    written = chess.pgn.Game({name: value for name, value in game.tags.items() if name not in ("FEN", "SetUp")})
    written.setup(board)
    written.add_line(chess.Move.from_uci(move) for move in moves)
    text = io.StringIO()
    written.accept(chess.pgn.FileExporter(text))
    return Game(game.file, game.number, game.tags, written.headers["FEN"], moves, text.getvalue().encode())
