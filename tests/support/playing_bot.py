"""A bot at work against the fake lichess, in the process of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chess
from pydantic import SecretStr

from bot.bot import Bot, check_account
from bot.moves.move_choice import MoveSources, OpeningBooks, Tablebases
from bot.saved_state import SavedState
from coach.study_files import CHAPTERS
from lichess.client import Connection
from lichess.studies import StudyWriter
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.terms import Terms
from trapline.settings import Settings

SECRET = "lip_trapbot"
LEGAL = ("e4", "e5", "Nf3", "Nc6", "Bc4", "d6", "Nc3", "Bg4", "Nxe5", "Bxd1")


class Opening(OpeningBooks):
    """A book with one line."""

    def __init__(self, line: tuple[str, ...]) -> None:
        super().__init__([])
        self._line = line

    def moves(self, board: chess.Board) -> dict[chess.Move, int]:
        start = board.root()
        for ply, san in enumerate(self._line):
            move = start.parse_san(san)
            if ply == len(board.move_stack):
                return {move: 1}
            if board.move_stack[ply] != move:
                return {}
            start.push(move)
        return {}


@contextmanager
def playing(settings: Settings, line: tuple[str, ...] = LEGAL) -> Iterator[Bot]:
    """A bot at work, which hands its games over at the end."""
    lichess = Connection(settings.bot.url, SecretStr(SECRET))
    account = check_account(lichess)
    lichess.name(account.name)
    mine, studies = settings.bot, None
    if mine.studies:
        studies = StudyWriter(mine.url, SecretStr(SECRET), mine.studies, mine.folder / "chapters", CHAPTERS)
    sources = MoveSources(Opening(line), Tablebases([]), 0.05, strength=mine.strength, style=mine.style)
    bot = Bot(lichess, account, settings, SavedState(mine.folder), sources, studies)
    thread = threading.Thread(target=bot.run)
    thread.start()
    try:
        yield bot
    finally:
        bot.stop(0.0)
        thread.join(30)
        lichess.close()
        assert not thread.is_alive()


def challenged(server: Server, habits: Habits | None = None, **terms: Any) -> str:
    def do(site: Any) -> str:
        player = Player(site, site.join(f"Player{len(site.accounts)}"), habits or Habits(), 3)
        return str(player.challenge(site.account("TrapBot"), Terms(**{"color": "black", **terms})).id)

    return server.do(do)


def ended(server: Server, game: str) -> bool:
    return server.do(lambda site: game in site.games and site.games[game].over)


def chat_of(server: Server, game: str) -> list[tuple[str, str]]:
    return server.do(lambda site: [(line.room, line.text) for line in site.record.messages if line.game == game])


def moves(server: Server, game: str) -> list[str]:
    return server.do(lambda site: [move.uci() for move in site.games[game].board.move_stack])


def no_violations(server: Server) -> None:
    assert server.do(lambda site: list(site.record.violations)) == []
