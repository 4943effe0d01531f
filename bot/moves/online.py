"""Moves from lichess's servers: the opening explorer, the cloud evaluations, the table server; each if it is set.

A request gets a small part of the clock. What is not answered in that time counts as not known, and after failures the
server rests for a while, so that no game waits for it. Source: lichess's published OpenAPI description.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import requests
from pydantic import SecretStr

from bot.settings import BotSettings, OnlineExplorer
from lichess.api import LichessError
from lichess.http import Session, refusal, translate_errors, user_agent
from trapcore.io.log_once import OnceLogger

log = logging.getLogger(__name__)

SHARE = 0.05
"""Most of the clock that one request may take, 0..1."""

MOST_SECONDS = 3.0
LEAST_SECONDS = 0.3
"""With less than this nothing is asked."""

REST_SECONDS = 60.0
"""After an answer that failed, or said that there were too many requests, a server is left alone for so long."""

MOST_PLIES = 30
"""The explorer and the cloud evaluations are asked up to this ply."""

MOST_MEN = 7
"""On the board, for the table server."""

LEAST_GAMES = 20
"""Games in which a move was played, for the explorer's answer to count."""

_ORDER = ("win", "syzygy-win", "maybe-win", "cursed-win", "draw", "blessed-loss", "maybe-loss", "syzygy-loss", "loss")
"""Categories of the table server, the best for the side to move first."""


class OnlineMoves:
    """Lichess's servers, for all games; may be used by any number of threads."""

    def __init__(self, settings: BotSettings, token: SecretStr | None) -> None:
        """``token``: the explorer answers nobody without one. It is sent to no other server but ``settings.url``."""
        self._settings = settings
        self._explorer = Session(token, MOST_SECONDS)
        self._other = Session(None, MOST_SECONDS)
        for session in (self._explorer, self._other):
            session.headers["User-Agent"] = user_agent("")
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="online")
        self._once = OnceLogger(log)
        self._rests: dict[str, float] = {}
        self._lock = threading.Lock()

    def move(self, board: chess.Board, seconds: float | None) -> tuple[str, str] | None:
        """A move and where it is from, ``explorer``, ``cloud`` or ``table``; None if no server has one.

        ``seconds`` are left on our clock; None without a clock.
        """
        mine = self._settings
        time_out = MOST_SECONDS if seconds is None else min(MOST_SECONDS, SHARE * seconds)
        if time_out < LEAST_SECONDS or board.chess960:
            return None
        is_opening = board.ply() <= MOST_PLIES
        is_ending = chess.popcount(board.occupied) <= MOST_MEN and not board.castling_rights
        sources = (
            ("table", mine.online_egtb and is_ending, self._table_move),
            ("explorer", mine.lichess_opening_explorer is not OnlineExplorer.OFF and is_opening, self._explorer_move),
            ("cloud", mine.lichess_cloud_analysis and is_opening, self._cloud_move),
        )
        for name, is_wanted, find in sources:
            if not is_wanted or time.monotonic() < self._rests.get(name, 0.0):
                continue
            asked = self._threads.submit(self._found, name, find, board.copy(stack=False), time_out)
            try:
                # A server that sends a little now and then must not hold a move.
                found = asked.result(time_out)
                self._once.reset(name)
            except (LichessError, TimeoutError) as error:
                with self._lock:
                    self._rests[name] = time.monotonic() + REST_SECONDS
                reason = str(error) or f"lichess's {name} takes too long"
                self._once.write(logging.WARNING, name, "%s; it is not asked for a minute", reason)
                continue
            if found is not None:
                return found, name
        return None

    def close(self) -> None:
        """Close the idle connections."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._explorer.close()
        self._other.close()

    @staticmethod
    def _found(
        name: str, find: Callable[[chess.Board, float], str | None], board: chess.Board, time_out: float
    ) -> str | None:
        with translate_errors(f"lichess's {name}"):
            uci = find(board, time_out)
            return None if uci is None else board.uci(board.parse_uci(uci))

    def _table_move(self, board: chess.Board, time_out: float) -> str | None:
        found = self._answer(self._other, f"{self._settings.tablebase_url}/standard", {"fen": board.fen()}, time_out)
        if found is None or found["category"] == "unknown":
            return None
        # The result of a move is that of the opponent; the server sorts the best move first within a category.
        known = [move for move in found["moves"] if move["category"] in _ORDER]
        return max(known, key=lambda move: _ORDER.index(move["category"]))["uci"] if known else None

    def _explorer_move(self, board: chess.Board, time_out: float) -> str | None:
        kind = str(self._settings.lichess_opening_explorer)
        wanted = {"fen": board.fen(), "topGames": "0"} | ({"recentGames": "0"} if kind == "lichess" else {})
        found = self._answer(self._explorer, f"{self._settings.explorer_url}/{kind}", wanted, time_out)
        if found is None:
            return None
        color = "white" if board.turn else "black"
        weights: dict[str, float] = {}
        for move in found["moves"]:
            games = move["white"] + move["draws"] + move["black"]
            if games >= LEAST_GAMES:
                # As often as it is played, more often where it scores.
                weights[str(move["uci"])] = games * ((move[color] + move["draws"] / 2) / games) ** 2
        if not sum(weights.values()):
            return None
        (uci,) = random.choices(list(weights), list(weights.values()))
        return uci

    def _cloud_move(self, board: chess.Board, time_out: float) -> str | None:
        found = self._answer(self._other, f"{self._settings.url}/api/cloud-eval", {"fen": board.fen()}, time_out)
        return None if found is None else str(found["pvs"][0]["moves"]).split()[0]

    @staticmethod
    def _answer(
        session: requests.Session, address: str, query: Mapping[str, str], time_out: float
    ) -> dict[str, Any] | None:
        """JSON of an answer; None for a position that is not known (404)."""
        answer = session.get(address, params=dict(query), timeout=time_out)
        if answer.status_code == 404:
            return None
        if not answer.ok:
            raise refusal(answer)
        found: dict[str, Any] = answer.json()
        return found
