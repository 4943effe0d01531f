"""A lichess with finished games, and a service that works for a library of its own; for the tests of the service."""

import random
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import chess
from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler
from sqlalchemy import select

from db.library.open import open_library
from db.storage.tables import GameRow
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms
from trapline.service.schedule import Schedule
from trapline.service.scheduler import start_due
from trapline.service.service import Service
from trapline.service.state.clock import Clock
from trapline.service.state.locks import ProcessLocks
from trapline.settings import Settings

LEGAL = "e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 b1c3 c8g4 f3e5 g4d1 c4f7 e8e7 c3d5"
"""Légal's mate: Black falls into it."""


def begun(site: Site, ident: str, white: str, black: str, moves: str = "") -> Game:
    """A game between two accounts, which are made if need be, as far as these moves in UCI."""
    players = [site.accounts.get(name.lower()) or site.join(name, in_process=True) for name in (white, black)]
    game = Game(ident, Terms(limit=None, increment=None), players[0], players[1], site.clock)
    site.games[ident] = game
    play(game, moves)
    return game


def play(game: Game, moves: str) -> None:
    for uci in moves.split():
        game.move(game.board.turn, uci)


def finished(site: Site, ident: str, white: str, black: str, moves: str) -> Game:
    """The same, resigned by who is to move unless it is mate."""
    game = begun(site, ident, white, black, moves)
    if not game.over:
        game.resign(game.board.turn)
    return game


def random_moves(chance: random.Random, plies: int) -> str:
    """Legal moves from the start that never end a game early."""
    board = chess.Board()
    moves: list[str] = []
    while len(moves) < plies:
        move = chance.choice(sorted(board.legal_moves, key=str))
        board.push(move)
        if board.is_game_over():
            board.pop()
            continue
        moves.append(move.uci())
    return " ".join(moves)


class ServerClock(Clock):
    """The server's clock, and waiting that lets it run instead of waiting."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.waited: list[float] = []
        self.astray = 0.0
        """Seconds by which this machine's clock is wrong."""

    def now(self) -> float:
        return self.server.do(lambda site: site.clock.wall_ms()) / 1000 + self.astray

    def wait(self, event: threading.Event, seconds: float) -> None:
        self.waited.append(seconds)
        self.server.advance(seconds)


@contextmanager
def service_for(server: Server, tmp_path: Path, *, address: str | None = None, **mine: Any) -> Iterator[Service]:
    """A service with these settings, on the library there or ``library.sqlite``; its clock is the server's."""
    settings = Settings(
        db=tmp_path / "library.sqlite",
        measure="sequences",
        tell="similar",
        service={"url": server.url, "folder": tmp_path / "service", **mine},
    )
    library = open_library(address or settings.db, create=True)
    locks = ProcessLocks(library.database, beat_seconds=0.2, silent_seconds=2.0)
    with closing(Service(settings, library, clock=ServerClock(server), locks=locks)) as made:
        yield made


class SteppedScheduler(BaseScheduler):  # type: ignore[misc]
    """APScheduler without threads: `start` and `wakeup` run the jobs that are due, and return when they have ended."""

    def __init__(self, service: Service) -> None:
        super().__init__(timezone=UTC, executors={"default": DebugExecutor()})
        self.service, self.schedule = service, Schedule(service)
        self.schedule.update()

    def wakeup(self) -> None:
        start_due(self, self.schedule, self.service)
        self._process_jobs()

    def shutdown(self, wait: bool = True) -> None:
        super().shutdown(wait)


def addresses(service: Service) -> list[str]:
    """The ids of the games in the library, by the end of their addresses."""
    with service.library.database.read() as connection:
        return sorted(site.rpartition("/")[2] for site in connection.scalars(select(GameRow.site)))
