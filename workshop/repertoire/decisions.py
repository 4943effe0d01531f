"""Decisions of players in games, and which games are left out of every fit."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

from workshop.coverage.games import Game, read_games

PARTS = 5
"""Parts that the games are divided into by their moves; the last is left out of every fit."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A move that a player of known rating chose."""

    fen: str
    answered: tuple[str, str] | None
    """The opponent's last move (UCI) after the position before it (FEN); None in the first position."""
    played: str
    """UCI."""
    rating: int

    @property
    def last(self) -> str | None:
        """Square that the opponent's last move went to."""
        return None if self.answered is None else self.answered[1][2:4]

    def board(self) -> chess.Board:
        """The position, with the opponent's last move."""
        if self.answered is None:
            return chess.Board(self.fen)
        earlier, move = self.answered
        board = chess.Board(earlier)
        board.push_uci(move)
        return board


def is_left_out(game: Game) -> bool:
    """Whether nothing is fitted to the game."""
    return int(game.key[:8], 16) % PARTS == PARTS - 1


def games_of(files: Iterable[Path], *, left_out: bool) -> list[Game]:
    """The games that are fitted to, or those that are left out; each once."""
    found = {game.key: game for game in read_games(files)}
    return [game for game in found.values() if is_left_out(game) is left_out]


def decisions_of(games: Iterable[Game], most: int, seed: int = 1) -> list[Decision]:
    """At most so many decisions, drawn at random from all of the games."""
    found = [decision for game in games for decision in _of_game(game)]
    return random.Random(seed).sample(found, min(most, len(found)))


def _of_game(game: Game) -> Iterator[Decision]:
    answered: tuple[str, str] | None = None
    for board, played in zip(game.positions(), game.moves, strict=False):
        rating, fen = game.rating(board.turn), board.fen()
        if rating is not None and board.legal_moves.count() > 1:
            yield Decision(fen, answered, played, rating)
        answered = fen, played
